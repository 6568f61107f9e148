#pragma once

#include "graph/kernel/kernel.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// A gradient of all operands by one kernel for q's and one for k's and v's, where a target has no form of both: their
/// results are copied to where they belong, q's to the first of its parts, and the others are 0.
void lower_apart(Lowering& lowering, const AttentionGradientKernel& all);

}  // namespace eglantine::lower
