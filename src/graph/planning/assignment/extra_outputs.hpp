#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "graph/planning/ownership/depths.hpp"
#include "graph/planning/ownership/kernel_graph.hpp"
#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

namespace eglantine {

/// Which kernel computes a node besides its own result: a reader that has the node's elements at hand where it ends, as
/// the kernel's accumulator or as an extra output, or an element-wise kernel of the same elements beside it. From how
/// the readers read it, what their kernels hold already, and which kernels wait for which.
class ExtraOutputs {
 public:
  ExtraOutputs(const Ownership& owners, const KernelGraph& graph, const std::unordered_set<const Node*>& forced,
               const Depths& depths)
      : owners_(owners), graph_(graph), forced_(forced), depths_(depths) {}

  /// The kernel of x's only reader, where its epilogue has x at hand and can take it as the accumulator, and no
  /// accumulator that it reads is deeper; or null.
  const Node* taking_in(const Node& x, const Reads& reads) const;

  /// The last of the kernels that can have the materialized x as an extra output; or null. A row kernel before others:
  /// where another one computes x, both read the rows.
  const Node* storing(const Node& x, const Reads& reads) const;

  /// Whether owner's kernel, which computes x, can store it as well: it reads x nowhere else, and waits for no other
  /// reader of x.
  bool can_store_computed(const Node& x, const Node& owner, const Reads& reads) const;

  /// The element-wise kernel of as many elements that reads what x reads, and can store x too: each element is then
  /// read once for both. Null where there is none among the last of `elementwise`, in the order of assignment.
  const Node* storing_beside(const Node& x, const Reads& reads, const std::vector<const Node*>& elementwise) const;

 private:
  bool can_take_in(const Node& x, const Node& owner) const;
  bool is_sibling(const Node& x, const Node& kernel, const Reads& reads) const;
  bool can_store(const Node& x, const Node& owner, const Reads& reads) const;
  int64_t stored_count(const Node& owner) const;

  const Ownership& owners_;
  const KernelGraph& graph_;
  const std::unordered_set<const Node*>& forced_;
  const Depths& depths_;
};

}  // namespace eglantine
