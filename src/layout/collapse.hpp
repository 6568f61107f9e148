#pragma once

#include <vector>

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// Merges neighbouring axes that continue each other in every layout (stride 0 with stride 0) and drops axes of length
/// 1, so that most work has one or two dimensions. All layouts have one shape before and one of rank >= 1 after; the
/// row-major order of coordinates stays. `barriers`: axes in [barrier, rank) never merge with those in [0, barrier) (as
/// reduced with kept ones). Returns for each barrier the number of collapsed axes before it: 0 when that side has only
/// axes of length 1, the collapsed rank when the other side has. A domain of one element collapses to (1,) with stride
/// 1, after every barrier.
std::vector<int> collapse(std::vector<Layout>& layouts, const std::vector<int>& barriers = {});
Layout collapsed(const Layout& x);  ///< of one layout alone

}  // namespace eglantine::layout
