#pragma once

#include <vector>

#include "graph/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// A map that only moves elements by a piecewise read, as maps that each move a box of them linearly, for a software
/// device, whose driver copies rows several times as fast as a kernel (lower/copies.hpp). Nothing where rows are too
/// short for that, the boxes too many, or the pieces no boxes of the domain.
std::vector<MapKernel> linear_boxes(const Target& target, const MapKernel& kernel);

}  // namespace eglantine::lower
