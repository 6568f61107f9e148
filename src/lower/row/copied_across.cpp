#include "lower/row/copied_across.hpp"

#include <algorithm>

#include "lower/across.hpp"
#include "lower/expressions.hpp"

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

}  // namespace

std::optional<RowKernel> with_copies_across(Lowering& lowering, const RowKernel& kernel) {
  constexpr int64_t fewest_lanes = 8;  // as of reductions
  const Expr& value = kernel.value;
  const int64_t elements = value.domain.elements();
  if (!is_worth_a_copy(lowering.target(), elements) || (kernel.strided && kernel.kept_rank == 0)) return std::nullopt;
  const Axes order = order_of_lanes(kernel);
  const int64_t inner = order[order.rank() - 1];
  const bool computes_places =
      std::ranges::any_of(value.code, [](const Instruction& step) { return step.op == Op::load_at; });
  if (value.domain[static_cast<int>(inner)] < fewest_lanes || computes_places) return std::nullopt;
  std::optional<RowKernel> copied;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Strided& operand = value.operands[i];
    if (value.stores(i) || value.piecewise_of(i) != nullptr || !lies_across(operand, inner, elements)) continue;
    if (!copied) copied = kernel;
    copied->value.operands[i] = materialize_in_order(lowering, load_of(operand), order);
  }
  if (copied) collapse(*copied);
  return copied;
}

}  // namespace eglantine::lower
