#pragma once

#include "lower/map/transpose/joint_tile.hpp"

namespace eglantine::lower {

/// The box of the fewest bytes by a model: a part of a line's first and last sectors, and of a halo, is read for
/// others. Nothing where none fits shared memory.
std::optional<JointTile> chosen_box(const Target& target, const MapKernel& kernel,
                                    const std::vector<StagedView>& views);

}  // namespace eglantine::lower
