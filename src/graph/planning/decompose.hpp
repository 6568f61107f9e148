#pragma once

#include <utility>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// While it lives, the pending stencils that some roots are computed from are said by element-wise nodes and views,
/// which nothing but them holds. Under one GraphLock from its construction to its end.
class Decomposition {
 public:
  explicit Decomposition(const std::vector<NodePtr>& roots);
  ~Decomposition();
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;

 private:
  std::vector<std::pair<NodePtr, nodes::Value>> stencils_;  ///< and what they were
};

}  // namespace eglantine
