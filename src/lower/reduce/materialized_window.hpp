#pragma once

#include "lower/reduce/schedule/group_plan.hpp"

namespace eglantine::lower {

/// Materializes the operand values of a window of a level, in the order of the tree, and returns the level that reads
/// them: for operands so scattered that no range within the device's limit covers one block.
ReduceLevel materialized_window(Lowering& lowering, const ReduceLevel& level, const ReduceWindow& window);

}  // namespace eglantine::lower
