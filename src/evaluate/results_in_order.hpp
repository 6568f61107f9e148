#pragma once

#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// Of nodes that are computed together: one that would lie in another order of axes than what is made of it among them,
/// as functions of transposed tensors do (verbs/build.hpp), lies in its own order. One kernel gives both then, where
/// the second had read across what the first had written. Not on software devices.
void lie_in_one_order(const std::vector<NodePtr>& nodes, const GraphLock& lock);

}  // namespace eglantine
