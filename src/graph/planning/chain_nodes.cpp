#include "graph/planning/chain_nodes.hpp"

#include <unordered_map>

#include "graph/traversal.hpp"

namespace eglantine {

namespace {

using Nodes = std::unordered_set<const Node*>;

/// Adds what is computed from nodes that are found already, and from what passes.
void add_made_of(Nodes& found, const Ownership& owners) {
  for (const NodePtr& node : owners.order) {
    bool made = false;
    for_each_source(*node, [&](const NodePtr& source) {
      const bool is_stored = owners.materialized.count(source.get()) && !owners.passing.count(source.get());
      made = made || (found.count(source.get()) && !is_stored);
    });
    if (made) found.insert(node.get());
  }
}

/// Adds what nothing but folds, or what they alone read, reads.
void add_read_by_folds_alone(Nodes& found, const Nodes& folds, const Ownership& owners) {
  Nodes alone = folds;
  std::unordered_map<const Node*, bool> read_elsewhere;
  for (auto node = owners.order.rbegin(); node != owners.order.rend(); ++node) {
    const Node* x = node->get();
    if (const auto read = read_elsewhere.find(x); read != read_elsewhere.end() && !read->second) alone.insert(x);
    const bool by_others = alone.count(x) == 0 || (owners.materialized.count(x) && folds.count(x) == 0);
    for_each_source(*x, [&](const NodePtr& source) { read_elsewhere[source.get()] |= by_others; });
  }
  found.insert(alone.begin(), alone.end());
}

}  // namespace

std::unordered_set<const Node*> nodes_of_chains(const Ownership& owners) {
  Nodes folds;
  for (const auto& [kernel, rows] : owners.rows) folds.insert(rows.folds.begin(), rows.folds.end());
  Nodes found = folds;
  found.insert(owners.passing.begin(), owners.passing.end());
  if (found.empty()) return found;
  add_made_of(found, owners);
  add_read_by_folds_alone(found, folds, owners);
  return found;
}

}  // namespace eglantine
