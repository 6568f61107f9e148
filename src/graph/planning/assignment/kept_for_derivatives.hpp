#pragma once

#include <unordered_set>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// Nodes that a derivative being taken will read, and that are made of a product, a contraction or attention: stored
/// where they are computed, they are not multiplied out once more on the way back. Of functions evaluated in parts,
/// since a whole one and its derivative are planned together. `order`: sources first.
std::unordered_set<const Node*> kept_for_derivatives(const std::vector<NodePtr>& order);

}  // namespace eglantine
