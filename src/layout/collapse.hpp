#pragma once

#include <vector>

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// Merges neighbouring axes that every layout walks as one, and drops axes of length 1, so that most work becomes one-
/// or two-dimensional. All layouts have one shape before and one (collapsed) shape of rank >= 1 after; row-major order
/// of the coordinates is kept. Axes of stride 0 merge with each other.
///
/// `barriers`: an axis in [barrier, rank) never merges with one in [0, barrier), so that both sides can still be told
/// apart (for example kept axes before the first reduced one). Returns for each barrier the number of collapsed axes
/// before it. That is 0 when the side before it has only axes of length 1, and the collapsed rank when the side from it
/// on has only such axes. A domain of one element collapses to (1,) with stride 1; that axis counts as after every
/// barrier.
std::vector<int> collapse(std::vector<Layout>& layouts, const std::vector<int>& barriers = {});

}  // namespace eglantine::layout
