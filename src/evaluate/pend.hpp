#pragma once

#include "eglantine/tensor.hpp"
#include "graph/node.hpp"

namespace eglantine {

/// Pending nodes of an expression before its arguments are computed: bounds a loop that never reads.
inline constexpr int64_t max_pending_nodes = 384;

/// Ends a step: looks at what is still pending, which may keep so much of the limit (pending.hpp).
void settle_pending(double share = 1);

/// Computes what pending nodes keep too much with (pending.hpp), which a BuiltWhole put off; nothing while one lives.
void settle_overdue();

/// The tensor of a newly built node that no other thread knows; whatever may pend becomes a tensor here alone. Where
/// the expression of the node, or of one built for it alone, exceeds max_pending_nodes, starts computing that one's
/// arguments, within a BuiltWhole where it exceeds twice as many; where pending nodes keep too much memory alive, some
/// of those (pending.hpp).
Tensor pend(NodePtr node);

}  // namespace eglantine
