#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/node.hpp"
#include "graph/planning/ownership/depths.hpp"

namespace eglantine {

/// Element-wise nodes one of whose operands is a placement that nothing else reads: a placement of the same of each
/// piece, so that the operand need not be stored. Of pieces that are contractions, whose epilogue the node becomes, and
/// on GPUs of pieces that are computed element by element.
class Pieces {
 public:
  /// order: all pending nodes below the roots, sources first.
  Pieces(const std::vector<NodePtr>& roots, const std::vector<NodePtr>& order, bool gpu);

  /// x as a placement, sources first; nothing for other nodes. Under a GraphLock.
  std::optional<nodes::Placement> of(const Node& x);

  /// The placements of contractions that others took in.
  const std::vector<const Node*>& taken_in() const { return taken_in_; }

 private:
  bool is_read_once(const Node& x) const;
  const Node* placement_at(const NodePtr& x) const;
  bool is_of_contractions(const nodes::Placement& what) const;
  bool may_be_an_epilogue(const Node& placement, const nodes::Placement& what) const;
  bool may_be_of_elements(const nodes::Placement& what) const;
  nodes::Placement of_each_piece(const Node& x, const NodePtr& placed, const nodes::Placement& what);
  bool waits_for_others(const nodes::Elementwise& x, const NodePtr& placed, const Node& placement) const;

  bool gpu_;
  Depths depths_;
  std::unordered_map<const Node*, int> readers_, chains_;  ///< chains: how many were said one behind the other
  std::unordered_set<const Node*> made_of_contractions_;   ///< contractions, and what is made of them in their order
  std::vector<const Node*> taken_in_;
};

}  // namespace eglantine
