#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// Pending nodes from `roots` down that `enters` admits, once each, sources first; to any depth. Under a GraphLock.
template <class Enters>
std::vector<NodePtr> sources_first(const std::vector<NodePtr>& roots, Enters enters) {
  struct Open {
    NodePtr node;
    std::vector<NodePtr> sources;
    size_t next = 0;
  };
  std::vector<NodePtr> order;
  std::unordered_set<const Node*> seen;
  std::vector<Open> path;
  const auto enter = [&](NodePtr x) {
    if (!is_pending(*x) || !enters(*x) || !seen.insert(x.get()).second) return;
    std::vector<NodePtr> sources = sources_of(*x);
    path.push_back({std::move(x), std::move(sources)});
  };
  for (const NodePtr& root : roots) {
    enter(root);
    while (!path.empty()) {
      Open& last = path.back();
      if (last.next < last.sources.size()) {
        enter(last.sources[last.next++]);
        continue;
      }
      order.push_back(std::move(last.node));
      path.pop_back();
    }
  }
  return order;
}

/// What x is, or is a view of; boundaries are views of views.
inline const NodePtr& behind_views(const NodePtr& x) {
  const NodePtr* at = &x;
  while (const auto* view = (*at)->as<nodes::View>()) at = &view->source;
  return *at;
}

}  // namespace eglantine
