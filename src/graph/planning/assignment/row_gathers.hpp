#pragma once

#include <unordered_set>

#include "graph/planning/assignment/row_kernels.hpp"
#include "graph/planning/ownership/kernel_graph.hpp"
#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

namespace eglantine {

/// Decides which row kernels gather an element for each of their rows themselves (RowKernel::gathered), such as the
/// logit of a label.
class RowGathers {
 public:
  RowGathers(RowKernels& rows, const Ownership& owners, const KernelGraph& graph,
             const std::unordered_set<const Node*>& forced)
      : rows_(rows), owners_(owners), graph_(graph), forced_(forced) {}

  /// The kernel that computes x where it reads it, and stores it if others read it too; null where x has its own.
  const Node* join(const Node& x, const Uses& uses);

 private:
  bool may_join(const Node& x, const Node& kernel, const Uses& uses) const;

  RowKernels& rows_;
  const Ownership& owners_;
  const KernelGraph& graph_;
  const std::unordered_set<const Node*>& forced_;
};

}  // namespace eglantine
