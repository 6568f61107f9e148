#pragma once

#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

namespace eglantine {

/// The reads of nodes whose readers are being assigned: what reads a node, or computes it, reads what it is made of.
class SourceReads {
 public:
  explicit SourceReads(Ownership& owners) : owners_(owners) {}

  /// Of x, all of whose readers are assigned.
  Reads take(const Node& x) { return reads_.take(x); }

  /// What reads x, a view of the source, or a shift.
  void pass(const NodePtr& source, const Reads& reads) { add(source, reads, true); }
  void of_expression(const Node& x, const Reads& reads);
  void of_accumulator(const Node& x, const Node& kernel);           ///< the kernel computes it first
  void of_gather(const nodes::Gather& gather, const Node& kernel);  ///< the row kernel gathers

 private:
  void add(const NodePtr& source, const Reads& reads, bool through_view = false);
  void of_load(const nodes::LoadAt& load, const Reads& reads);

  Ownership& owners_;
  ReadsOfNodes reads_;
};

}  // namespace eglantine
