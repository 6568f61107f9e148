#pragma once

#include <vector>

#include "graph/kernel.hpp"
#include "layout/split.hpp"

namespace eglantine::lower {

/// The kernel over a box of its tiles.
TileKernel restricted(const TileKernel& kernel, const layout::Box& tiles);

/// The same tiles as ordinary reductions: one for the tiles of full size and one for each kind of edge (or a few, where
/// a reduction would have too many axes). For tiles too large for one work group or one window.
std::vector<ReduceKernel> tile_reductions(const TileKernel& kernel);

}  // namespace eglantine::lower
