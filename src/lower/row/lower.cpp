#include <algorithm>
#include <cstdlib>

#include "codegen/access_pattern.hpp"
#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/row/program.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

using layout::Box;

RowKernel in_box(RowKernel kernel, const Box& box) {
  restrict_to(kernel.prologue, box);
  restrict_to(kernel.epilogue, box);
  restrict_to(kernel.out, box);
  if (kernel.second.buffer) restrict_to(kernel.second, box);
  return kernel;
}

/// Windows hold whole rows, and whole vectors of four where rows are strided in memory.
Cut cut_of(const RowKernel& kernel) {
  Shape multiples = kernel.prologue.domain;
  for (int axis = 0; axis < kernel.kept_rank; ++axis) multiples[axis] = 1;
  if (kernel.strided) multiples[kernel.kept_rank - 1] = vector_width;
  return {layouts_of(kernel), multiples, widest_element(kernel)};
}

void dispatch(Lowering& lowering, RowPlan plan, const RowKernel& kernel) {
  const Target& target = lowering.target();
  plan.rows = codegen::count_of(kernel.prologue.domain, {0, kernel.kept_rank});
  const auto program = program_of<RowProgram>(target, plan, kernel);
  if (!program.fits()) throw DeviceError("[row] a window passes what one storage buffer binding covers");
  lowering.dispatch(program.dispatch());
}

void run_boxes(Lowering& lowering, const RowKernel& kernel) {
  const Target& target = lowering.target();
  const RowPlan plan = plan_row(target, kernel);  // one for all boxes, so that cuts change no bits
  for (const Box& box : windows_of(target, kernel.prologue.domain, cut_of(kernel)))
    dispatch(lowering, plan, in_box(kernel, box));
}

/// For rows so scattered that no range within the device's limit covers one: rows and results are materialized in
/// contiguous memory, and a map applies the epilogue.
void run_materialized(Lowering& lowering, const RowKernel& kernel) {
  const Layout rows = layout::contiguous(kernel.prologue.domain);
  const Strided x = materialize(lowering, kernel.prologue, rows);
  const auto temporary = [&] {
    Strided y = lowering.temporary(DType::f32, rows);
    if (!reduces(kernel.op)) return y;
    y.layout.strides = layout::contiguous(output_of_rows(kernel).layout.shape).strides;
    std::fill(y.layout.strides.begin() + kernel.kept_rank, y.layout.strides.end(), 0);
    return y;
  };
  Strided y = temporary();
  RowKernel materialized{load_of(x), kernel.kept_rank, kernel.op,       accumulator_over(rows.shape, DType::f32),
                         y,          kernel.strided,   kernel.parameter};
  if (kernel.second.buffer) materialized.second = temporary();
  if (!can_be_cut(lowering.target(), cut_of(materialized)))
    throw DeviceError("[row] one storage buffer binding covers " + std::to_string(lowering.target().max_block_bytes) +
                      " bytes, less than a row; raise EGLANTINE_MAX_BLOCK_BYTES");
  run_boxes(lowering, materialized);
  if (!reduces(kernel.op)) return lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, y), kernel.out});
  y.layout = output_of_rows(materialized).layout;
  lower(lowering, MapKernel{reading_accumulator(epilogue_of_rows(kernel), y), output_of_rows(kernel)});
  if (kernel.second.buffer) lower(lowering, MapKernel{load_of(second_of_rows(materialized)), second_of_rows(kernel)});
}

/// Whether a binding covers four neighbouring rows; else they are read one by one as contiguous ones. The length alone
/// decides.
bool fits_strided(const Target& target, const RowKernel& kernel) {
  const Shape& domain = kernel.prologue.domain;
  return vector_width * codegen::count_of(domain, {kernel.kept_rank, domain.rank() - kernel.kept_rank}) <=
         longest_row(target);
}

}  // namespace

void lower(Lowering& lowering, const RowKernel& kernel) {
  if (kernel.strided && !fits_strided(lowering.target(), kernel)) {
    RowKernel contiguous = kernel;
    contiguous.strided = false;
    return lower(lowering, contiguous);
  }
  can_be_cut(lowering.target(), cut_of(kernel)) ? run_boxes(lowering, kernel) : run_materialized(lowering, kernel);
}

}  // namespace eglantine::lower
