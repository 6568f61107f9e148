#pragma once

#include "lower/map/transpose/joint_tile.hpp"

/// Boxes of 16 bits an element, two in a word of shared memory: neighbours of a run, whichever axes it goes along. What
/// an invocation reads of two neighbours, vectors of memory where it can, are words of so many pairs.
namespace eglantine::lower {

/// Whether all that is staged, and the results, have 16 bits an element, and lines are of neighbours in memory.
bool moves_pairs(const MapKernel& kernel, const std::vector<StagedView>& staged);

/// Elements along the axis read the fastest, 1 to 8, of vectors of memory, or words, that lines are whole numbers of in
/// all that is staged.
int64_t aligned_vector(const MapKernel& kernel, const std::vector<StagedView>& staged);

/// Places a box's slots so, where its runs can be pairs; whether they can. aligned: elements of an aligned vector.
bool place_pairs(const Layout& x, int64_t aligned, JointTile& tile);

/// Whether no two runs share a word of the results.
bool writes_whole_words(const Layout& out, const JointTile& tile);

/// Elements of a run before the next along an axis of it.
int64_t run_before(const JointTile& tile, int axis);
int64_t vectors_of(const JointTile& tile);    ///< along their axis in a box
int64_t pairs_across(const JointTile& tile);  ///< neighbours for each of those along a run
int64_t pairs_read(const JointTile& tile);    ///< what invocations read: two neighbours' vectors each

}  // namespace eglantine::lower
