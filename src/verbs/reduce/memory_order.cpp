#include "verbs/reduce/memory_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"

namespace eglantine::verbs {
namespace {

constexpr int64_t fewest = 1 << 18, of_sector = 8;

bool is_long(const Layout& x, int64_t axis) { return x.shape[static_cast<int>(axis)] > 1; }
int64_t stride_of(const Layout& x, int64_t axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); }

}  // namespace

std::optional<Axes> order_in_memory(const Tensor& x) {
  if (x.size() < fewest) return std::nullopt;
  const GraphLock lock;
  const auto* view = x.node()->as<nodes::View>();
  if (view == nullptr || view->boundary) return std::nullopt;
  if (!view->source->is_computed() && view->source->dominant.layout) return std::nullopt;  // it may lie as x is read
  const Layout& at = view->layout;
  const Axes order = layout::by_distance(at);
  const auto repeats = [&](int64_t axis) { return is_long(at, axis) && stride_of(at, axis) == 0; };
  if (std::any_of(order.begin(), order.end(), repeats)) return std::nullopt;
  int64_t last = at.shape.rank() - 1;
  while (!is_long(at, last)) --last;
  const int64_t nearest = order[order.rank() - 1];
  const bool lies_across = stride_of(at, last) >= of_sector && stride_of(at, nearest) == 1 &&
                           at.shape[static_cast<int>(nearest)] >= of_sector;
  return lies_across ? std::optional(order) : std::nullopt;
}

ReductionInMemory reduction_in_memory(const Tensor& x, const Axes& axes) {
  layout::ReduceOrder order = reduce_order_of(*x.node(), axes);
  const std::optional<Axes> memory = is_gpu(x.device()) || x.node()->is_traced() ? std::nullopt : order_in_memory(x);
  if (!memory) return {x, order};
  const Axes back = layout::inverse_of(*memory), left = layout::places_of_left(*memory, axes);
  for (int64_t& axis : order.reduced) axis = back[static_cast<int>(axis)];
  const Tensor at = x.permute(*memory);
  if (std::is_sorted(left.begin(), left.end())) return {at, order};
  Axes there = order.reduced;
  std::sort(there.begin(), there.end());
  return {at, order, layout::permute(layout::contiguous(reduced_shape(at.shape(), there, false)), left)};
}

}  // namespace eglantine::verbs
