#include "verbs/index/in_memory_order.hpp"

#include <algorithm>

#include "graph/index_check.hpp"
#include "layout/layout.hpp"
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

}  // namespace eglantine::verbs
