#include "verbs/reduce/row_order.hpp"

#include <algorithm>

#include "graph/graph_lock.hpp"
#include "graph/planning/decomposition/extremes_of_columns.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"
#include "verbs/reduce/short_runs.hpp"

namespace eglantine::verbs {
namespace {

/// x with its axes in the order of a layout; x as it is where elements repeat.
OrderedRows in_order_of(const Tensor& x, const Axes& axes, const Layout& there) {
  Axes order = layout::by_distance(there), ordered;
  for (int i = 0; i < order.rank(); ++i) {
    const int64_t axis = order[i];
    const bool repeats = there.strides[static_cast<size_t>(axis)] == 0 && x.shape()[static_cast<int>(axis)] > 1;
    if (repeats) return {x, axes, {}};
    if (axes.contains(axis)) ordered.push_back(i);
  }
  return {x.permute(order), ordered, layout::places_of_left(order, axes)};
}

}  // namespace

bool repeats_along(const Tensor& x, int64_t axis) {
  const GraphLock lock;
  const auto* view = x.node()->as<nodes::View>();
  return view != nullptr && !x.node()->is_traced() && view->layout.strides[static_cast<size_t>(axis)] == 0;
}

Tensor with_repeats_once(const Tensor& x, const Axes& axes) {
  Tensor once = x;
  for (const int64_t axis : axes)
    if (x.shape()[static_cast<int>(axis)] > 1 && repeats_along(x, axis))
      once = once.slice(static_cast<int>(axis), 0, 1);
  return once;
}

Tensor without_repeats(const Tensor& x, const Axes& axes) {
  return is_gpu(x.device()) ? with_repeats_once(x, axes) : x;
}

Rows with_one_axis(const Tensor& x, const Axes& axes) {
  const int first = x.rank() - axes.rank();
  const std::optional<Layout> there = layout_in_memory(*x.node());
  if (!is_gpu(x.device()) || !there || x.node()->is_differentiated() || axes.rank() < 2 || axes[0] != first)
    return {x, axes};
  Shape shape(x.shape().begin(), x.shape().begin() + first);
  shape.push_back(count_over("var", x.shape(), axes));
  return layout::reshape(*there, shape) ? Rows{x.reshape(shape), {first}} : Rows{x, axes};
}

Rows in_order_of_memory(const Tensor& x, const Axes& axes) {
  constexpr int64_t fewest = 1 << 18;
  const std::optional<Layout> there = layout_in_memory(*x.node());
  if (!is_gpu(x.device()) || !there || x.node()->is_differentiated() || x.size() < fewest) return {x, axes};
  const OrderedRows rows = in_order_of(x, axes, *there);
  return std::is_sorted(rows.left.begin(), rows.left.end()) ? Rows{rows.x, rows.axes} : Rows{x, axes};
}

OrderedRows with_runs_last(const Tensor& x, const Axes& axes) {
  const OrderedRows as_is{x, axes, {}};
  const auto& read = x.node()->dominant.layout;
  if (!is_gpu(x.device()) || read == nullptr || x.node()->is_differentiated() || has_short_runs(x, axes)) return as_is;
  const OrderedRows rows = in_order_of(x, axes, *read);
  return has_short_runs(rows.x, rows.axes) ? rows : as_is;
}

Tensor forwards_along(const Tensor& x, const Axes& axes) {
  const std::optional<Layout> there = layout_in_memory(*x.node());
  if (!there || !is_gpu(x.device()) || x.node()->is_differentiated()) return x;
  Axes flipped;
  for (const int64_t axis : axes)
    if (there->strides[static_cast<size_t>(axis)] < 0) flipped.push_back(axis);
  return flipped.empty() ? x : x.flip(flipped);
}

}  // namespace eglantine::verbs
