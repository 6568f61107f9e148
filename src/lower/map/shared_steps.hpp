#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// The axis, not the last, of which four neighbours of a map share the most steps: those of places and weights that are
/// the same for all channels of a picture, say. Nothing where no axis leaves seven tenths of the steps, or fewer, where
/// the map reads no element at a computed place, or writes one again while others may still read it.
std::optional<int> axis_of_shared_steps(const MapKernel& kernel);

}  // namespace eglantine::lower
