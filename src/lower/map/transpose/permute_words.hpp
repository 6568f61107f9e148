#pragma once

#include "lower/map/transpose/joint_tile.hpp"

/// Which boxes of narrow elements are read and written by words (permute_text.hpp).
namespace eglantine::lower {

/// Whether elements that follow each other in the results have slots side by side.
bool has_slots_side_by_side(const JointTile& tile);

/// Elements that an invocation reads at a time: the four of a word of memory, where all staged operands are of a byte
/// and each box is whole words of each; else 1.
int64_t elements_of_words(const MapKernel& kernel, const JointTile& tile);

/// Whether an invocation computes four results at once, of bytes or pairs: all that is read is staged in their order,
/// lies as they do, or is the same everywhere.
bool computes_fours(const MapKernel& kernel, const JointTile& tile);

/// The map as one of a single axis, for which that holds. What is staged is as wide as in shared memory.
Expr as_one_axis(const MapKernel& kernel, const JointTile& tile);

}  // namespace eglantine::lower
