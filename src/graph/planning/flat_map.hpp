#pragma once

#include "graph/kernel/kernel.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// An element-wise node of constants and contiguous values in memory: there is nothing to plan. Under a GraphLock.
bool is_flat(const Node& x);

/// The kernel plan() makes of a flat node, at a fraction of the cost, which every small call pays. Under a GraphLock.
MapKernel flat_map(const Node& x, const Stored& out);

}  // namespace eglantine
