#include "lower/row/memory_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "graph/expression.hpp"
#include "layout/layout.hpp"
#include "lower/row/moves.hpp"

namespace eglantine::lower {
namespace {

int64_t stride_along(const Layout& x, int64_t axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); }

bool gives_values_of_rows(const RowKernel& kernel) {
  return is_of_rows(kernel.out.layout, kernel.kept_rank) && std::ranges::all_of(kernel.value.stored, [&](size_t i) {
           return is_of_rows(kernel.value.operands[i].layout, kernel.kept_rank);
         });
}

/// What is read the most memory of; null where nothing is read.
const Strided* furthest_operand(const Expr& x) {
  const Strided* furthest = nullptr;
  for (size_t i = 0; i < x.operands.size(); ++i) {
    if (x.stores(i)) continue;
    const int64_t reach = layout::reach(x.operands[i].layout).count();
    if (furthest == nullptr || reach > layout::reach(furthest->layout).count()) furthest = &x.operands[i];
  }
  return furthest;
}

/// All axes, those of the rows in the order of memory.
Axes memory_order(const Layout& x, int kept_rank) {
  Axes order;
  for (int axis = 0; axis < x.shape.rank(); ++axis) order.push_back(axis);
  std::stable_sort(order.begin(), order.begin() + kept_rank,
                   [&](int64_t a, int64_t b) { return stride_along(x, a) > stride_along(x, b); });
  return order;
}

Axes inverse_of(const Axes& order) {
  Axes inverse(order.begin(), order.end());
  for (int i = 0; i < order.rank(); ++i) inverse[static_cast<int>(order[i])] = i;
  return inverse;
}

RowKernel in_order(RowKernel kernel, const Axes& order) {
  for (Strided& operand : kernel.value.operands) operand.layout = layout::permute(operand.layout, order);
  for (Layout& iota : kernel.value.iotas) iota = layout::permute(iota, order);
  kernel.value.domain = layout::permute(layout::contiguous(kernel.value.domain), order).shape;
  kernel.out.layout = layout::permute(kernel.out.layout, order);
  return kernel;
}

}  // namespace

bool run_rows_in_memory_order(Lowering& lowering, const RowKernel& kernel) {
  constexpr int64_t fewest_elements = 1 << 18;  // fewer are read in the time of another dispatch
  const int last = kernel.kept_rank - 1;
  if (lowering.target().software || kernel.value.domain.elements() < fewest_elements || !kernel.strided ||
      !kernel.value.piecewise.empty() || !gives_values_of_rows(kernel))
    return false;
  const Strided* main = furthest_operand(kernel.value);
  if (main == nullptr || stride_along(main->layout, last) == 1) return false;
  const Axes order = memory_order(main->layout, kernel.kept_rank), back = inverse_of(order);
  if (stride_along(main->layout, order[last]) != 1) return false;
  RowKernel ordered = in_order(kernel, order);
  std::vector<MapKernel> maps;
  const auto compute_apart = [&](Strided& result, const Strided& to) {
    result = lowering.temporary(to.dtype(), contiguous_result(result.layout, kernel.kept_rank));
    Strided from = result;
    from.layout = layout::permute(from.layout, back);
    maps.push_back(moving(from, to, kernel.kept_rank));
    collapse(maps.back());
  };
  for (const size_t i : kernel.value.stored) compute_apart(ordered.value.operands[i], kernel.value.operands[i]);
  compute_apart(ordered.out, kernel.out);
  collapse(ordered);
  lower(lowering, ordered);
  for (const MapKernel& map : maps) lower(lowering, map);
  return true;
}

}  // namespace eglantine::lower
