#pragma once

#include <vector>

#include "graph/kernel/kernel.hpp"
#include "layout/split.hpp"

namespace eglantine::lower {

/// The kernel over a box of its tiles.
TileKernel restricted(const TileKernel& kernel, const layout::Box& tiles);

/// The same tiles as reductions: one for full tiles and one for each kind of edge tile, or a few where a reduction
/// would have too many axes. For tiles too large for one work group or window.
std::vector<ReduceKernel> tile_reductions(const TileKernel& kernel);

}  // namespace eglantine::lower
