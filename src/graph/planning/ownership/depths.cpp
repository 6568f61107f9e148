#include "graph/planning/ownership/depths.hpp"

#include <algorithm>

#include "graph/traversal.hpp"

namespace eglantine {

namespace {

bool is_accumulator(const Node& x) {
  return x.as<nodes::Reduce>() != nullptr || x.as<nodes::Matmul>() != nullptr || x.as<nodes::Contraction>() != nullptr;
}

}  // namespace

void Depths::measure(const std::vector<NodePtr>& order) {
  for (const NodePtr& node : order) {
    int before = 0;
    for_each_source(*node, [&](const NodePtr& source) { before = std::max(before, of(*source)); });
    depths_[node.get()] = before + (is_accumulator(*node) ? 1 : 0);
  }
}

int Depths::of(const Node& x) const {
  const auto known = depths_.find(&x);
  return known == depths_.end() ? 0 : known->second;
}

bool Depths::reads_deeper(const Node& expression, const Node& x) const {
  const auto may_lead_there = [&](const Node& node) {
    return of(node) > of(x) && (node.is_elementwise() || is_accumulator(node));
  };
  return std::ranges::any_of(sources_first(sources_of(expression), may_lead_there),
                             [](const NodePtr& node) { return is_accumulator(*node); });
}

}  // namespace eglantine
