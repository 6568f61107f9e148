#pragma once

#include "graph/kernel.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// An element-wise node whose arguments are constants or lie in memory in their own order: every layout is contiguous,
/// so there is nothing to plan. Under a GraphLock.
bool is_flat(const Node& x);

/// The kernel that plan() makes of a flat node, at a fraction of its cost: what every small call pays for.
/// Under a GraphLock.
MapKernel flat_map(const Node& x, const Stored& out);

}  // namespace eglantine
