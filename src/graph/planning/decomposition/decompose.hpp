#pragma once

#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// While it lives, the pending stencils and composites that some roots are computed from are said by the nodes that
/// they stand for, what is made of pieces by pieces, and a largest and a smallest element by what is of one reading
/// (graph/planning/decomposition/extremes.hpp); nothing but them holds these nodes. Under one GraphLock from its
/// construction to its end.
class Decomposition {
 public:
  Decomposition(const std::vector<NodePtr>& roots, const DeviceLimits& device);
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;

  /// Nodes that are materialized: those that say largest and smallest elements, as reductions are, copies in order of
  /// what a stencil's taps would read from far-apart lines of memory, and what is padded before few rows read it.
  const std::unordered_set<const Node*>& stored() const { return stored_; }

  /// Nodes that are results as the roots are: in which a largest or smallest element may be looked for again, of a
  /// derivative, say, and which have the bits that it was found with only once (graph/made_of_sums.hpp).
  const std::vector<NodePtr>& compared() const { return compared_; }

  /// Nodes that no kernel stores though it computes what they say: placements that epilogues of their pieces take in.
  const std::vector<const Node*>& taken_in() const { return taken_in_; }

 private:
  /// Nodes that are said otherwise, and what they were: again at its end, also where making parts throws.
  class Said {
   public:
    Said() = default;
    ~Said();
    Said(const Said&) = delete;
    Said& operator=(const Said&) = delete;

    void say(const NodePtr& node, nodes::Value value);

   private:
    std::vector<std::pair<NodePtr, nodes::Value>> said_;
  };

  /// Sources first; those that share others' parts behind all others.
  void decompose_composites(const std::vector<NodePtr>& order);
  /// x: an extreme.
  void store_compared(const Node& x);
  /// What is made of computed pieces, by pieces (graph/planning/decomposition/pieces.hpp). Sources first. Whether any
  /// is.
  bool say_in_pieces(const std::vector<NodePtr>& roots, const std::vector<NodePtr>& order, bool gpu);

  Said said_;
  std::vector<NodePtr> compared_;
  std::vector<const Node*> taken_in_;
  std::unordered_set<const Node*> stored_;
};

}  // namespace eglantine
