#pragma once

#include <utility>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// The nodes among these, the largest and the smallest of the same elements along the same axes, that one kernel is to
/// compute, and what says their values so: pairs of at least `device.extremes_together` floats in memory, in rows or
/// columns that no row kernel takes, and that lie without gaps, or columns in whole lines of memory, in any order.
/// Under a GraphLock.
std::vector<std::pair<NodePtr, nodes::Value>> extremes_together(const std::vector<NodePtr>& nodes,
                                                                const DeviceLimits& device);

}  // namespace eglantine
