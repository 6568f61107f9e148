#pragma once

#include <cstddef>
#include <unordered_set>
#include <vector>

#include "graph/planning/ownership.hpp"

/// Which element-wise nodes melt into a kernel, and where so many would that one has to be cut off.
namespace eglantine {

/// Element-wise nodes that melt into one kernel before the next is cut off: past this, compiling it costs more than
/// reading an intermediate once more.
inline constexpr size_t max_melted = 48;

/// The pending element-wise nodes below x down to what is kept, sources first, x itself left out.
std::vector<const Node*> melted_below(const Node& x, const std::unordered_set<const Node*>& kept);

/// Whether each kernel that reads the element-wise node x had better compute it anew, which takes no more than a few
/// quick operations of constants, places, and what is broadcast from far fewer elements: writing x and reading it back
/// takes longer. kept and forced are read from memory.
bool melts_again(const Node& x, const std::unordered_set<const Node*>& kept,
                 const std::unordered_set<const Node*>& forced);

/// The nodes to keep so that no kernel melts more than max_melted.
std::unordered_set<const Node*> long_melts(const Ownership& owners);

}  // namespace eglantine
