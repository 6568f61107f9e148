#include "graph/melting.hpp"

#include <functional>
#include <unordered_map>

namespace eglantine {

std::vector<const Node*> melted_below(const Node& x, const std::unordered_set<const Node*>& kept) {
  std::vector<const Node*> found;
  std::unordered_set<const Node*> seen;
  const std::function<void(const Node&)> walk = [&](const Node& node) {
    for (const NodePtr& source : sources_of(node)) {
      if (!is_pending(*source) || kept.count(source.get()) || !seen.insert(source.get()).second) continue;
      walk(*source);
      if (source->is_elementwise()) found.push_back(source.get());
    }
  };
  walk(x);
  return found;
}

std::unordered_set<const Node*> long_melts(const Ownership& owners) {
  std::unordered_set<const Node*> cut, kept = owners.kept;
  std::unordered_map<const Node*, size_t> size;  // bounds the melted nodes below: shared ones count several times
  for (const NodePtr& node : owners.order) {
    size_t& below = size[node.get()];
    below = node->is_elementwise() ? 1 : 0;
    for (const NodePtr& source : sources_of(*node))
      if (is_pending(*source) && !kept.count(source.get())) below += size[source.get()];
    if (below <= max_melted || kept.count(node.get())) continue;
    below = melted_below(*node, kept).size() + 1;
    if (below <= max_melted || !node->is_elementwise()) continue;
    cut.insert(node.get());
    kept.insert(node.get());
  }
  return cut;
}

}  // namespace eglantine
