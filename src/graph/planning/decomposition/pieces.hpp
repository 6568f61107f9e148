#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// Element-wise nodes one of whose operands is a placement of pieces that are computed element by element, and that
/// nothing else reads: a placement of the same of each piece, so that the operand need not be stored.
class Pieces {
 public:
  /// order: all pending nodes below the roots.
  Pieces(const std::vector<NodePtr>& roots, const std::vector<NodePtr>& order);

  /// x as a placement, sources first; nothing for other nodes. Under a GraphLock.
  std::optional<nodes::Placement> of(const Node& x);

 private:
  const nodes::Placement* read_once(const NodePtr& x, const Shape& shape) const;

  std::unordered_map<const Node*, int> readers_, chains_;  ///< chains: how many were said one behind the other
};

}  // namespace eglantine
