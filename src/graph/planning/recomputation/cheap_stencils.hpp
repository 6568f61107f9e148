#pragma once

#include <cstdint>
#include <unordered_set>

#include "graph/node.hpp"

/// What maps read at neighbouring places, and compute at each.
namespace eglantine {

/// The axes that a remapped tensor has otherwise than its source, as bits: all of one that has elements without a
/// source.
uint32_t rolled_axes(const nodes::Remap& x);

/// Whether a map that reads x at `places` of it, rolled along the axes `moved` or as it is, recomputes it at each: x is
/// a few quick operations of what lies in memory, also rolled along other axes, such as which cells live, and sums of
/// three of them. Their neighbours' elements are in the cache next to the map, while x would be written to memory and
/// read again. Not empty.
bool is_stencil_of_cheap(const Node& x, int64_t places, uint32_t moved,
                         const std::unordered_set<const Node*>& materialized,
                         const std::unordered_set<const Node*>& forced);

}  // namespace eglantine
