#include "evaluate/results_in_order.hpp"

#include <algorithm>

#include "backend/device_state.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/recomputation/fusion.hpp"
#include "graph/traversal.hpp"
#include "layout/collapse.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Whether tiles of two axes are full of what is read so: kernels of several results have no boxes of short axes
/// (lower/map/transpose/joint_tile.hpp).
bool fills_tiles(const Layout& view) {
  constexpr int64_t fewest = 32;  // columns of a tile
  const Layout at = layout::collapsed(view);
  const auto nearest = std::ranges::find(at.strides, int64_t{1});
  return nearest != at.strides.end() && at.shape[at.shape.rank() - 1] >= fewest &&
         at.shape[static_cast<int>(nearest - at.strides.begin())] >= fewest;
}

/// What x shows all of, each element once and forwards, in another order of axes, if that is a pending expression; or
/// null.
const Node* permuted_expression(const Node& x) {
  const auto* view = x.as<nodes::View>();
  if (view == nullptr || view->boundary || x.is_traced() || !is_pending(x) || keeps_order(*view)) return nullptr;
  const Node& source = *view->source;
  const int64_t elements = x.shape.elements();
  const auto is_forwards = [](int64_t stride) { return stride > 0; };
  const bool shows_all = elements == source.shape.elements() && layout::reach(view->layout).count() == elements &&
                         std::ranges::all_of(view->layout.strides, is_forwards);
  return shows_all && fills_tiles(view->layout) && is_elementwise_to_memory(source, {}) ? &source : nullptr;
}

/// Whether what x shows is stored in any case.
bool is_stored(const Node& source, const std::vector<NodePtr>& nodes) {
  const auto is_source = [&](const NodePtr& node) { return node.get() == &source; };
  return source.is_kept() || std::ranges::any_of(nodes, is_source);
}

/// Whether one expression over memory computes x, and `source` on the way.
bool is_made_of(const NodePtr& x, const Node& source) {
  if (!is_pending(*x) || !is_elementwise_to_memory(*x, {})) return false;
  const std::vector<NodePtr> below = sources_first({x}, [](const Node&) { return true; });
  return std::ranges::any_of(below, [&](const NodePtr& node) { return node.get() == &source; });
}

}  // namespace

void lie_in_one_order(const std::vector<NodePtr>& nodes, const GraphLock&) {
  constexpr size_t most = 4;  // results of a kernel (graph/planning/assignment/extra_outputs.cpp)
  if (nodes.size() < 2 || nodes.size() > most) return;
  for (const NodePtr& x : nodes) {
    const Node* source = permuted_expression(*x);
    if (source == nullptr || is_stored(*source, nodes) || x->device->capabilities().line == 0) continue;
    const auto reads_across = [&](const NodePtr& other) {
      return other != x && other->shape == x->shape && is_made_of(other, *source);
    };
    if (std::ranges::none_of(nodes, reads_across)) continue;
    const nodes::View permuted = *x->as<nodes::View>();
    x->restate(nodes::Elementwise{Op::copy, {view_of(permuted.source, permuted.layout), nullptr, nullptr}});
  }
}

}  // namespace eglantine
