#pragma once

#include "eglantine/tensor.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// Pending nodes an expression may hold before its arguments are computed, so that a loop that never reads stays
/// bounded.
inline constexpr int64_t max_pending_nodes = 384;

/// The tensor of a node that was just built, and of which no other thread knows yet. Bounds what pends: where the
/// node's expression, or that of a node that was built for it alone, has grown past max_pending_nodes, starts computing
/// that one's arguments; where pending nodes keep too much memory, some of those (pending.hpp). Whatever may pend
/// becomes a tensor here, and nowhere else.
Tensor pend(NodePtr node);

}  // namespace eglantine
