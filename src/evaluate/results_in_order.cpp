#include "evaluate/results_in_order.hpp"

#include <algorithm>

#include "backend/device_state.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/recomputation/fusion.hpp"
#include "graph/traversal.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// What x shows all of, each element once and forwards, in another order of axes, if that is a pending expression; or
/// null.
const Node* turned_expression(const Node& x) {
  const auto* view = x.as<nodes::View>();
  if (view == nullptr || view->boundary || x.is_traced() || !is_pending(x) || keeps_order(*view)) return nullptr;
  const Node& source = *view->source;
  const int64_t elements = x.shape.elements();
  const auto is_forwards = [](int64_t stride) { return stride > 0; };
  const bool shows_all = elements == source.shape.elements() && layout::reach(view->layout).count() == elements &&
                         std::ranges::all_of(view->layout.strides, is_forwards);
  return shows_all && is_elementwise_to_memory(source, {}) ? &source : nullptr;
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
    const Node* source = turned_expression(*x);
    if (source == nullptr || x->device->capabilities().line == 0) continue;
    const auto reads_across = [&](const NodePtr& other) {
      return other != x && other->shape == x->shape && is_made_of(other, *source);
    };
    if (std::ranges::none_of(nodes, reads_across)) continue;
    const nodes::View turned = *x->as<nodes::View>();
    x->restate(nodes::Elementwise{Op::copy, {view_of(turned.source, turned.layout), nullptr, nullptr}});
  }
}

}  // namespace eglantine
