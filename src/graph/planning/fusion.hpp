#pragma once

#include <cstddef>
#include <unordered_set>
#include <vector>

#include "graph/planning/ownership.hpp"

/// Which element-wise nodes fuse into a kernel, and where so many would that one has to be cut off.
namespace eglantine {

/// Element-wise nodes that fuse into one kernel before the next is cut off: past this, compiling it costs more than
/// reading an intermediate once more.
inline constexpr size_t max_fused = 48;

/// The pending element-wise nodes below x down to what is materialized, sources first, x itself left out.
std::vector<const Node*> fused_below(const Node& x, const std::unordered_set<const Node*>& materialized);

/// Whether each kernel that reads the element-wise node x had better compute it anew, which takes no more than a few
/// quick operations of constants, places, and what is broadcast from far fewer elements: writing x and reading it back
/// takes longer. materialized and forced are read from memory.
bool is_recomputed(const Node& x, const std::unordered_set<const Node*>& materialized,
                   const std::unordered_set<const Node*>& forced);

/// The nodes to materialize so that no kernel fuses more than max_fused.
std::unordered_set<const Node*> too_long_fusions(const Ownership& owners);

}  // namespace eglantine
