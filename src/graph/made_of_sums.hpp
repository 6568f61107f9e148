#pragma once

#include "graph/node.hpp"

namespace eglantine {

/// What x is, or shows some of, if that is computed element by element from pending sums of floats; else null. Kernels
/// may add these in orders of their own, and so give other bits where they compute it again: of a largest element
/// computed before, none would be equal to it. Composites count as sums. `along`: a reduction; sums along its axes of
/// what has its argument's shape do not count. Under a GraphLock.
NodePtr made_of_sums(const NodePtr& x, const nodes::Reduce* along = nullptr);

/// Of which x has largest or smallest elements, along some axes or of tiles; null where x is something else.
const NodePtr* extremes_of(const Node& x);

}  // namespace eglantine
