#include "graph/joining.hpp"

#include <algorithm>
#include <array>

#include "layout/layout.hpp"

namespace eglantine {

namespace {

class Joining {
 public:
  Joining(const Node& x, const Node& owner, const Ownership& known, const Places& places)
      : x_(x), owner_(owner), known_(known), places_(places) {}

  bool is_possible() { return allows_sources(owner_, true); }

 private:
  bool allows_sources(const Node& node, bool in_order) {
    const std::vector<NodePtr> sources = sources_of(node);
    return std::all_of(sources.begin(), sources.end(),
                       [&](const NodePtr& source) { return allows(*source, in_order); });
  }

  /// Of what the kernel's expression reads.
  bool allows(const Node& node, bool in_order) {
    if (&node == &x_) return in_order;
    if (!comes_later(node) || !seen_[in_order ? 1 : 0].insert(&node).second) return true;
    if (const auto* view = node.as<nodes::View>(); view != nullptr && !known_.kept.count(&node))
      return allows(*view->source, in_order && keeps_order(*view));
    return is_within(node) ? allows_sources(node, in_order) : !waits(node);
  }

  bool is_within(const Node& node) const {
    if (!node.is_elementwise()) return false;
    const auto stored = known_.stored_by.find(&node);
    return !known_.kept.count(&node) || (stored != known_.stored_by.end() && stored->second == &owner_);
  }

  /// Whether what is computed before the expression, or is its core, needs x. It was not met before, or did not.
  bool waits(const Node& node) {
    if (&node == &x_) return true;
    if (!comes_later(node) || !waiting_.insert(&node).second) return false;
    const std::vector<NodePtr> sources = sources_of(node);
    return std::any_of(sources.begin(), sources.end(), [&](const NodePtr& source) { return waits(*source); });
  }

  bool comes_later(const Node& node) const {
    const auto place = places_.find(&node);
    return place != places_.end() && place->second > places_.at(&x_);
  }

  const Node& x_;
  const Node& owner_;
  const Ownership& known_;
  const Places& places_;
  std::array<std::unordered_set<const Node*>, 2> seen_;
  std::unordered_set<const Node*> waiting_;
};

}  // namespace

bool keeps_order(const nodes::View& view) {
  return view.layout.offset == 0 && view.layout.is_contiguous() && view.layout.size() == view.source->shape.elements();
}

bool can_join(const Node& x, const Node& owner, const Ownership& known, const Places& places) {
  return Joining(x, owner, known, places).is_possible();
}

}  // namespace eglantine
