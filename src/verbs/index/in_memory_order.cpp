#include "verbs/index/in_memory_order.hpp"

#include <algorithm>

#include "graph/graph_lock.hpp"
#include "graph/kernel/index_check.hpp"
#include "layout/layout.hpp"
#include "verbs/composite.hpp"
#include "verbs/reduce/memory_order.hpp"

namespace eglantine::verbs {
namespace {

/// Of the elements in a sector of memory along the indexed axis one at least is read: of fewer, the other order is as
/// good.
constexpr int64_t of_sector = 8;

/// Whether the index is the same along every axis of the result that is one of x.
bool is_same_along_others(const Node& index, const IntList& axes) {
  const auto* view = index.as<nodes::View>();
  for (int i = 0; i < axes.rank(); ++i) {
    const bool varies = view == nullptr || view->layout.strides[static_cast<size_t>(i)] != 0;
    if (axes[i] >= 0 && index.shape[i] > 1 && varies) return false;
  }
  return true;
}

/// The result's axes as x's lie in memory, with the index's in the place of the indexed one; nothing where one of x's
/// is none of the result.
std::optional<Axes> result_order(const Axes& order, int axis, const IntList& axes) {
  Axes result;
  for (const int64_t of_x : order)
    for (int i = 0; i < axes.rank(); ++i)
      if (axes[i] == (of_x == axis ? -1 : of_x)) result.push_back(i);
  return result.rank() == axes.rank() ? std::optional(result) : std::nullopt;
}

bool is_dense(const Tensor& x, const Axes& order, int axis, const Node& index, const IntList& axes) {
  if (order[order.rank() - 1] != axis) return true;
  int64_t count = 1;
  for (int i = 0; i < axes.rank(); ++i) count *= axes[i] < 0 ? index.shape[i] : 1;
  return count * of_sector >= x.shape()[axis];
}

}  // namespace

std::optional<Tensor> gathered_in_memory_order(const Tensor& x, int axis, const NodePtr& index, const IntList& axes,
                                               const IndexCheck& check) {
  if (x.node()->is_traced() || !is_same_along_others(*index, axes)) return std::nullopt;
  const std::optional<Axes> order = order_in_memory(x);
  if (!order || !is_dense(x, *order, axis, *index, axes)) return std::nullopt;
  const std::optional<Axes> at = result_order(*order, axis, axes);
  if (!at) return std::nullopt;
  IntList permuted;
  Axes back = *at;
  for (int i = 0; i < at->rank(); ++i) {
    permuted.push_back(axes[static_cast<int>((*at)[i])]);
    back[static_cast<int>((*at)[i])] = i;
  }
  IndexCheck moved = check;
  moved.place = layout::permute(check.place, *at);
  return pend(make_gather({x.node(), Tensor(index).permute(*at).node(), permuted, axis,
                           std::make_shared<const IndexCheck>(moved)}))
      .permute(back);
}

std::optional<Source> source_in_order(const Tensor& x, int axis, const IntList& axes) {
  const GraphLock lock;
  const auto* view = x.node()->as<nodes::View>();
  if (view == nullptr || view->boundary || !is_made_of_elements(*view->source)) return std::nullopt;
  const Layout& at = view->layout;
  const Axes order = layout::by_distance(at);
  const Layout own = layout::permute(at, order);
  if (!own.is_contiguous() || own.offset != 0 || own.shape != view->source->shape) return std::nullopt;
  const auto axis_of = [&](int64_t of_x) {
    return static_cast<int>(std::find(order.begin(), order.end(), of_x) - order.begin());
  };
  Source source{view->source, axis_of(axis), {}};
  for (const int64_t of_x : axes) source.axes.push_back(of_x < 0 ? of_x : axis_of(of_x));
  return source;
}

}  // namespace eglantine::verbs
