#pragma once

#include <optional>

#include "graph/node.hpp"

namespace eglantine {

/// What a boundary shows, and where its elements lie in that. Nothing of another node, and where a function is mapped
/// over an axis: each slice lies by itself. Under a GraphLock.
std::optional<Placed> shown_by(const Node& boundary);

/// The same place seen behind the boundaries that its source is; nothing where no strides express it. Under a
/// GraphLock.
std::optional<Placed> behind_boundaries(Placed at);

}  // namespace eglantine
