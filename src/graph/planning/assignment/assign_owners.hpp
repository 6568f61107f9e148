#pragma once

#include <unordered_set>
#include <vector>

#include "graph/device_limits.hpp"
#include "graph/planning/ownership/ownership.hpp"

namespace eglantine {

/// Assigns the nodes below `roots`, materializing `forced`. No cycle of kernels (ownership/kernel_graph.hpp). Under a
/// GraphLock.
Ownership assign_owners(const std::vector<NodePtr>& roots, const std::unordered_set<const Node*>& forced,
                        const DeviceLimits& device);

}  // namespace eglantine
