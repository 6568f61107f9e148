#pragma once

#include <unordered_map>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// How many reductions, products and contractions at least run one behind the other until a pending node is there, its
/// own included.
class Depths {
 public:
  void measure(const std::vector<NodePtr>& order);  ///< sources first
  int of(const Node& x) const;                      ///< 0 of what is in memory

  /// Whether `expression`, an element-wise node, is made of one of these that is deeper than x: that one's kernel ends
  /// last, and computes the expression without a wait for x, which runs beside what comes before it.
  bool reads_deeper(const Node& expression, const Node& x) const;

 private:
  std::unordered_map<const Node*, int> depths_;
};

}  // namespace eglantine
