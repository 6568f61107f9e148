#pragma once

#include <optional>
#include <vector>

#include "graph/row/chain.hpp"
#include "lower/row/schedule/schedule.hpp"

namespace eglantine::lower {

/// Where a row kernel with rows in shared memory has its elements: slots, each with an element of every row of a group.
struct StagedSlots {
  std::vector<int> of_values;  ///< by value of the chain; -1 for what is of a row
  std::vector<int> of_stores;  ///< by step; -1 but for a store of elements
  int count = 0;
};
StagedSlots staged_slots(const RowChain& chain);

/// Of four rows an invocation: whether a staged step reads elements of neighbouring rows side by side, straight to
/// registers, rather than its operands in the order of memory by shared memory.
bool reads_side_by_side(const RowStep& step, int kept_rank);

/// The plan of a kernel whose many short rows begin anywhere, with a row in shared memory for each invocation
/// (glsl/row/row_short.comp), or four of them in registers (row_fours.comp), which may also lie side by side; or
/// nothing where rows are better in registers of several lanes, or all that is read and stored lies side by side.
std::optional<RowPlan> plan_staged(const Target& target, const RowKernel& kernel, RowPlan plan);

}  // namespace eglantine::lower
