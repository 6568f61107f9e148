#include <algorithm>
#include <cstdlib>
#include <optional>

#include "codegen/addresses/access_pattern.hpp"
#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/row/apart.hpp"
#include "lower/row/copied_across.hpp"
#include "lower/row/moves.hpp"
#include "lower/row/near.hpp"
#include "lower/row/program.hpp"
#include "lower/row/repeated.hpp"
#include "lower/row/schedule/across.hpp"
#include "lower/row/values_apart.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

using layout::Box;

/// Windows hold whole rows, and whole vectors of four where rows are strided in memory.
Cut cut_of(const RowKernel& kernel) {
  Shape multiples = kernel.value.domain;
  for (int axis = 0; axis < kernel.kept_rank; ++axis) multiples[axis] = 1;
  if (kernel.strided) multiples[kernel.kept_rank - 1] = vector_width;
  return {layouts_of(kernel), multiples, widest_element(kernel)};
}

void dispatch(Lowering& lowering, RowPlan plan, const RowKernel& kernel) {
  const Target& target = lowering.target();
  plan.rows = codegen::count_of(kernel.value.domain, {0, kernel.kept_rank});
  const Flag flag = kernel.gathered ? lowering.index_flag() : Flag{};
  const auto program = program_of<RowProgram>(target, plan, kernel, flag);
  if (!program.fits()) throw DeviceError("[row] a window passes what one storage buffer binding covers");
  lowering.dispatch(program.dispatch());
}

void run_boxes(Lowering& lowering, const RowKernel& kernel) {
  const Target& target = lowering.target();
  // One for all boxes, so that cuts change no bits.
  const RowPlan plan = plan_row(target, kernel, chain_of(kernel, RowReads::once));
  for (const Box& box : windows_of(target, kernel.value.domain, cut_of(kernel)))
    dispatch(lowering, plan, in_box(kernel, box));
}

/// For rows so scattered that no range within the device's limit covers one: operands and results are materialized in
/// contiguous memory.
void run_materialized(Lowering& lowering, const RowKernel& kernel) {
  RowKernel made = kernel;
  std::vector<MapKernel> moves;
  const auto replace = [&](Strided& out) {
    Strided temporary = lowering.temporary(out.dtype(), contiguous_result(out.layout, kernel.kept_rank));
    moves.push_back(moving(temporary, out, kernel.kept_rank));
    out = temporary;
  };
  for (size_t i = 0; i < made.value.operands.size(); ++i) {
    Strided& operand = made.value.operands[i];
    if (made.value.stores(i))
      replace(operand);
    else if (made.value.piecewise_of(i) == nullptr && !is_of_rows(operand.layout, kernel.kept_rank))
      operand = materialize(lowering, load_of(operand), layout::contiguous(kernel.value.domain));
  }
  replace(made.out);
  if (!can_be_cut(lowering.target(), cut_of(made)))
    throw DeviceError("[row] one storage buffer binding covers " + std::to_string(lowering.target().max_block_bytes) +
                      " bytes, less than a row; raise EGLANTINE_MAX_BLOCK_BYTES");
  run_boxes(lowering, made);
  for (const MapKernel& move : moves) lower(lowering, move);
}

/// Whether a binding covers four neighbouring rows; else they are read one by one as contiguous ones. The length alone
/// decides.
bool fits_strided(const Target& target, const RowKernel& kernel) {
  const Shape& domain = kernel.value.domain;
  return vector_width * codegen::count_of(domain, {kernel.kept_rank, domain.rank() - kernel.kept_rank}) <=
         longest_row(target);
}

/// Whether rows are so short that a group reads them as they lie, and exchanges their elements: each is an
/// invocation's, or they stay in registers. The length decides, and not where operands lie now.
bool are_exchanged(const Target& target, const RowKernel& kernel) {
  const RowPlan plan = plan_row(target, kernel, chain_of(kernel, RowReads::once));
  return plan.staged || may_read_across(target, plan);
}

/// Rows that are read one behind the other and stored side by side, as such rows, if a group can exchange what it
/// stores. The length decides here, too.
std::optional<RowKernel> exchanging_results(const Target& target, const RowKernel& kernel) {
  if (!kernel.strided) return std::nullopt;
  RowKernel by_rows = kernel;
  by_rows.strided = by_rows.across = false;
  const RowChain chain = chain_of(by_rows, RowReads::once);
  const RowPlan plan = plan_row(target, by_rows, chain);
  return !plan.staged && puts_rows_across(plan, chain) ? std::optional(by_rows) : std::nullopt;
}

/// Whether vectors of four rows have no rows behind the last one of a window.
bool are_whole_vectors(const Target& target, const RowKernel& kernel) {
  const Shape& domain = kernel.value.domain;
  const bool by_fours = plan_row(target, kernel, chain_of(kernel, RowReads::once)).fours;
  if (!kernel.strided && !by_fours) return true;
  const bool is_one_window = kernel.strided || windows_of(target, domain, cut_of(kernel)).size() == 1;
  return is_one_window && codegen::count_of(domain, {0, kernel.kept_rank}) % vector_width == 0;
}

/// Whether one program computes all of it: others than a row's cannot report an index, nor may rows that are none.
bool gathers_itself(const Target& target, const RowKernel& kernel) {
  return !kernel.across && !pays_apart(target, kernel) && can_be_cut(target, cut_of(kernel)) &&
         are_whole_vectors(target, kernel);
}

}  // namespace

void lower(Lowering& lowering, const RowKernel& kernel) {
  if (kernel.gathered && !gathers_itself(lowering.target(), kernel))
    return lower(lowering, with_gathered_before(lowering, kernel));
  if (run_repeated_once(lowering, kernel)) return;
  if (pays_apart(lowering.target(), kernel)) return lower_apart(lowering, kernel);
  if (kernel.across && !are_exchanged(lowering.target(), kernel)) {
    if (const auto by_rows = exchanging_results(lowering.target(), kernel)) return lower(lowering, *by_rows);
    if (run_values_apart(lowering, with_quick_maxima(kernel, true))) return;
  }
  if (kernel.strided && !fits_strided(lowering.target(), kernel)) {
    RowKernel contiguous = kernel;
    contiguous.strided = false;
    return lower(lowering, contiguous);
  }
  if (const auto copied = with_copies_across(lowering, kernel)) return lower(lowering, *copied);
  const RowKernel run = with_quick_maxima(kernel, !lowering.target().software);
  can_be_cut(lowering.target(), cut_of(run)) ? run_boxes(lowering, run) : run_materialized(lowering, run);
}

}  // namespace eglantine::lower
