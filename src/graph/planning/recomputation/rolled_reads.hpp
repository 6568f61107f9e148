#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

namespace eglantine {

/// Which nodes maps read at neighbouring places, through remaps and what fuses behind them: gathered while nodes are
/// assigned, readers first, and asked whether such a node is computed at each place (is_stencil_of_cheap()).
class RolledReads {
 public:
  /// x, which is not materialized, is read through itself: its sources are rolled as it is.
  void pass(const Node& x);
  void pass_view(const Node& x, const nodes::View& view);
  /// `stored`: what reads the remap finds it in memory.
  void pass_remap(const Node& x, const nodes::Remap& remap, bool stored);

  /// Whether maps of as many elements read x at several places, and compute it at each.
  bool are_of_stencil(const Node& x, const Uses& uses, const Ownership& owners,
                      const std::unordered_set<const Node*>& forced) const;

 private:
  uint32_t axes_of(const Node& x) const;
  void note(const Node& x, uint32_t axes);
  bool is_viewed(const Node& x) const { return viewed_.count(&x) != 0; }

  std::unordered_set<const Node*> viewed_;            ///< what a remap shows that views read, in any number of places
  std::unordered_map<const Node*, uint32_t> rolled_;  ///< axes along which a reader's map reads a node rolled, as bits
};

}  // namespace eglantine
