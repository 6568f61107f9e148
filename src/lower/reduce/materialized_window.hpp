#pragma once

#include "lower/reduce/program.hpp"

namespace eglantine::lower {

/// Computes the values that a window of a level reduces into a temporary in the order of the tree, and returns the
/// level reading them there: for operands so scattered that no range of the device's limit covers even one block.
ReduceLevel materialized_window(Lowering& lowering, const ReduceLevel& level, const ReduceWindow& window);

}  // namespace eglantine::lower
