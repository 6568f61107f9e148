#pragma once

#include <unordered_set>

#include "graph/planning/ownership/ownership.hpp"

namespace eglantine {

/// Nodes that a later plan computes anew, as part of its own row kernel, though this plan's row kernels computed them
/// already: folds, what is made of those up to what is materialized, and what only folds read. Materialized, they would
/// leave no chain, and so their sums another order of additions: what bits a softmax has would depend on what was
/// computed before it.
std::unordered_set<const Node*> nodes_of_chains(const Ownership& owners);

}  // namespace eglantine
