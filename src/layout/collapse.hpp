#pragma once

#include <vector>

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// Merges neighbouring axes that continue each other in every layout, and drops axes of length 1, so that most work
/// becomes one- or two-dimensional. All layouts have one shape before and one (collapsed) shape of rank >= 1 after; the
/// row-major order of coordinates stays. Axes of stride 0 merge with each other.
///
/// `barriers`: an axis in [barrier, rank) never merges with one in [0, barrier), so that both sides stay apart (for
/// example kept axes and the reduced ones after them). Returns for each barrier the number of collapsed axes before it:
/// 0 when that side has only axes of length 1, the collapsed rank when the other side has only such axes. A domain of
/// one element collapses to (1,) with stride 1; that axis counts as after every barrier.
std::vector<int> collapse(std::vector<Layout>& layouts, const std::vector<int>& barriers = {});

}  // namespace eglantine::layout
