#include "lower/row/copied_across.hpp"

#include <algorithm>
#include <vector>

#include "codegen/addresses/access_pattern.hpp"
#include "graph/row/chain.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"
#include "lower/across.hpp"
#include "lower/expressions.hpp"
#include "lower/row/schedule/across.hpp"
#include "lower/row/schedule/schedule.hpp"

namespace eglantine::lower {
namespace {

/// The axes as a kernel goes through them, the one along which lanes are neighbours last.
Axes order_of_lanes(const RowKernel& kernel) {
  const int rank = kernel.value.domain.rank(), last = kernel.strided ? kernel.kept_rank - 1 : rank - 1;
  Axes order;
  for (int axis = 0; axis < rank; ++axis)
    if (axis != last) order.push_back(axis);
  order.push_back(last);
  return order;
}

/// The axes of a row, then those that number rows: rows lie side by side.
Axes order_of_side_by_side(const RowKernel& kernel) {
  const int rank = kernel.value.domain.rank();
  Axes order;
  for (int i = 0; i < rank; ++i) order.push_back((kernel.kept_rank + i) % rank);
  return order;
}

RowPlan plan_of(const Target& target, const RowKernel& kernel) {
  return plan_row(target, kernel, chain_of(kernel, RowReads::once));
}

/// The operands that are read, along neighbouring rows across their memory, and no rows one behind the other.
std::vector<size_t> rows_across(const RowKernel& kernel) {
  const Expr& value = kernel.value;
  const int64_t elements = value.domain.elements(), inner = kernel.kept_rank - 1;
  std::vector<size_t> found;
  if (inner < 0) return found;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Strided& x = value.operands[i];
    const bool in_order =
        codegen::access_pattern_of(x.layout, {kernel.kept_rank, value.domain.rank() - kernel.kept_rank}) ==
        codegen::AccessPattern::contiguous;
    if (!value.stores(i) && value.piecewise_of(i) == nullptr && !in_order && lies_across(x, inner, elements))
      found.push_back(i);
  }
  return found;
}

/// Rows so short that an invocation takes four of them, if those that lie across are copied side by side.
std::optional<RowKernel> with_rows_side_by_side(Lowering& lowering, const RowKernel& kernel) {
  const std::vector<size_t> across = rows_across(kernel);
  if (across.empty()) return std::nullopt;
  const Axes order = order_of_side_by_side(kernel);
  const Axes back = layout::inverse_of(order);
  const Layout beside =
      layout::permute(layout::contiguous(layout::permute(layout::contiguous(kernel.value.domain), order).shape), back);
  RowKernel copied = kernel;
  for (const size_t i : across) copied.value.operands[i].layout = beside;
  if (!plan_of(lowering.target(), copied).fours) return std::nullopt;
  for (const size_t i : across)
    copied.value.operands[i] = materialize_in_order(lowering, load_of(kernel.value.operands[i]), order);
  collapse(copied);
  return copied;
}

/// The operands that lie across the lanes along `inner`.
std::vector<size_t> operands_across(const RowKernel& kernel, int64_t inner) {
  const Expr& value = kernel.value;
  std::vector<size_t> found;
  for (size_t i = 0; i < value.operands.size(); ++i)
    if (!value.stores(i) && value.piecewise_of(i) == nullptr &&
        lies_across(value.operands[i], inner, value.domain.elements()))
      found.push_back(i);
  return found;
}

/// Whether tiles in shared memory have all operands that lie across the rows, so that none is copied.
bool tiles_have_all_across(const Target& target, const RowKernel& by_rows) {
  const RowChain chain = chain_of(by_rows, RowReads::once);
  const RowPlan plan = plan_row(target, by_rows, chain);
  return std::ranges::all_of(operands_across(by_rows, by_rows.value.domain.rank() - 1),
                             [&](size_t i) { return reads_rows_across(plan, chain, by_rows.value.operands[i]); });
}

/// Whether columns would be read again beside copies of rows, where as many copies, or none, give rows that stay in
/// registers.
bool is_better_by_rows(const Target& target, const RowKernel& kernel) {
  const int inner = kernel.value.domain.rank() - 1;
  if (!kernel.strided || !is_of_rows(kernel.out.layout, kernel.kept_rank) || kernel.kept_rank > inner) return false;
  const size_t rows = operands_across(kernel, kernel.kept_rank - 1).size();
  const size_t columns = operands_across(kernel, inner).size();
  RowKernel by_rows = kernel;
  by_rows.strided = false;
  if (columns == 0 || columns > rows || !plan_of(target, by_rows).register_resident) return false;
  return !plan_of(target, kernel).register_resident || tiles_have_all_across(target, by_rows);
}

}  // namespace

std::optional<RowKernel> with_copies_across(Lowering& lowering, const RowKernel& kernel) {
  constexpr int64_t fewest_lanes = 8;  // as of reductions
  const Expr& value = kernel.value;
  const int64_t elements = value.domain.elements();
  if (!is_worth_a_copy(lowering.target(), elements) || (kernel.strided && kernel.kept_rank == 0)) return std::nullopt;
  const bool computes_places =
      std::ranges::any_of(value.code, [](const Instruction& step) { return step.op == Op::load_at; });
  if (computes_places || plan_of(lowering.target(), kernel).staged) return std::nullopt;
  if (std::optional<RowKernel> beside = with_rows_side_by_side(lowering, kernel)) return beside;
  if (is_better_by_rows(lowering.target(), kernel)) {
    RowKernel by_rows = kernel;
    by_rows.strided = false;
    return with_copies_across(lowering, by_rows).value_or(by_rows);
  }
  const Axes order = order_of_lanes(kernel);
  const int64_t inner = order[order.rank() - 1];
  if (value.domain[static_cast<int>(inner)] < fewest_lanes) return std::nullopt;
  const RowChain chain = chain_of(kernel, RowReads::once);
  const RowPlan plan = plan_row(lowering.target(), kernel, chain);
  std::optional<RowKernel> copied;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Strided& operand = value.operands[i];
    if (value.stores(i) || value.piecewise_of(i) != nullptr || !lies_across(operand, inner, elements)) continue;
    if (reads_rows_across(plan, chain, operand)) continue;
    if (!copied) copied = kernel;
    copied->value.operands[i] = materialize_in_order(lowering, load_of(operand), order);
  }
  if (copied) collapse(*copied);
  return copied;
}

}  // namespace eglantine::lower
