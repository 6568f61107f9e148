#pragma once

#include <vector>

#include "graph/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// A map that only moves elements by a piecewise read, as maps that each move a box of them linearly (on hardware also
/// one that computes, where each element has a source): on a software
/// device, whose driver copies rows several times as fast as a kernel (lower/copies.hpp), and on hardware where a box
/// is transposed by tiles. Nothing where that holds for less than half of the elements, the boxes are too many or too
/// small, or the pieces no boxes of the domain.
std::vector<MapKernel> linear_boxes(const Target& target, const MapKernel& kernel);

}  // namespace eglantine::lower
