#include <algorithm>
#include <cstdlib>

#include "codegen/access_pattern.hpp"
#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "layout/split.hpp"
#include "lower/expressions.hpp"
#include "lower/row/program.hpp"

namespace eglantine::lower {
namespace {

using layout::Box;

constexpr int64_t elements_a_dispatch = int64_t{1} << 30;

RowKernel in_box(RowKernel kernel, const Box& box) {
  restrict_to(kernel.prologue, box);
  restrict_to(kernel.epilogue, box);
  kernel.out.layout = layout::restrict_to(kernel.out.layout, box);
  return kernel;
}

std::vector<Layout> layouts_of(const RowKernel& kernel) {
  std::vector<Layout> layouts{kernel.out.layout};
  for (const Expr* expr : {&kernel.prologue, &kernel.epilogue})
    for (const Strided& operand : expr->operands) layouts.push_back(operand.layout);
  return layouts;
}

/// Boxes have whole rows, and whole vectors of rows where those are strided.
Shape cuts_of(const RowKernel& kernel) {
  Shape cuts = kernel.prologue.domain;
  for (int axis = 0; axis < kernel.kept_rank; ++axis) cuts[axis] = 1;
  if (kernel.strided) cuts[kernel.kept_rank - 1] = vector_width;
  return cuts;
}

/// Whether one binding covers the smallest box, in each layout.
bool can_be_cut(const Target& target, const RowKernel& kernel) {
  const Shape cuts = cuts_of(kernel);
  const auto covered = [&](const Layout& x) {
    int64_t elements = 1;
    for (int i = 0; i < cuts.rank(); ++i)
      elements += (std::min(cuts[i], x.shape[i]) - 1) * std::abs(x.strides[static_cast<size_t>(i)]);
    return elements * size_of(DType::f32) + target.binding_alignment <= target.max_block_bytes;
  };
  const std::vector<Layout> layouts = layouts_of(kernel);
  return std::all_of(layouts.begin(), layouts.end(), covered);
}

void dispatch(Lowering& lowering, RowPlan plan, const RowKernel& kernel) {
  const Target& target = lowering.target();
  plan.rows = codegen::count_of(kernel.prologue.domain, {0, kernel.kept_rank});
  RowProgram program(target, plan, kernel, true);
  // A buffer read both by vec4 and by element takes two bindings; reading by element always takes one.
  if (program.bindings() > target.max_bindings) program = RowProgram(target, plan, kernel, false);
  if (!program.fits()) throw DeviceError("[row] a window passes what one storage buffer binding covers");
  lowering.dispatch(program.dispatch());
}

void run_boxes(Lowering& lowering, const RowKernel& kernel) {
  const Target& target = lowering.target();
  const RowPlan plan = plan_row(target, kernel);  // one for all boxes, so that cuts change no bits
  const layout::SplitLimits limits{target.max_block_bytes, elements_a_dispatch, target.binding_alignment};
  for (const Box& box :
       layout::split(kernel.prologue.domain, layouts_of(kernel), cuts_of(kernel), size_of(DType::f32), limits))
    dispatch(lowering, plan, in_box(kernel, box));
}

/// For rows so scattered that no range within the device's limit covers one: rows and results are materialized in
/// contiguous memory, and a map applies the epilogue.
void run_materialized(Lowering& lowering, const RowKernel& kernel) {
  const Layout rows = layout::contiguous(kernel.prologue.domain);
  const Strided x = materialize(lowering, kernel.prologue, rows);
  Strided y{lowering.temporary(rows.size() * size_of(DType::f32)), DType::f32, rows};
  if (reduces(kernel.op)) {
    y.layout.strides = layout::contiguous(output_of_rows(kernel).layout.shape).strides;
    std::fill(y.layout.strides.begin() + kernel.kept_rank, y.layout.strides.end(), 0);
  }
  const RowKernel materialized{load_of(x), kernel.kept_rank, kernel.op, accumulator_over(rows.shape, DType::f32),
                               y,          kernel.strided};
  if (!can_be_cut(lowering.target(), materialized))
    throw DeviceError("[row] one storage buffer binding covers " + std::to_string(lowering.target().max_block_bytes) +
                      " bytes, less than a row; raise EGLANTINE_MAX_BLOCK_BYTES");
  run_boxes(lowering, materialized);
  if (!reduces(kernel.op)) return lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, y), kernel.out});
  y.layout = output_of_rows(materialized).layout;
  lower(lowering, MapKernel{reading_accumulator(epilogue_of_rows(kernel), y), output_of_rows(kernel)});
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
  can_be_cut(lowering.target(), kernel) ? run_boxes(lowering, kernel) : run_materialized(lowering, kernel);
}

}  // namespace eglantine::lower
