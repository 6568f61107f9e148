#pragma once

#include <vector>

#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// A map with piecewise reads, as maps that each read a box of the domain linearly. Of a map that only moves elements,
/// on a software device, where rows are copied several times as fast as by a kernel (lower/copies.hpp); on hardware,
/// where boxes are transposed by tiles, also of one that computes, if each element has a source, as of rolled views.
/// On a software device zeros precede the parts that have a source: of narrow elements, of many boxes, and wherever
/// the host copies all of these parts.
/// Empty where less than half of the elements gain, boxes are too many or too small, or the pieces are no boxes of the
/// domain.
std::vector<MapKernel> linear_boxes(const Target& target, const MapKernel& kernel);

}  // namespace eglantine::lower
