#pragma once

#include <optional>

#include "lower/map/tile_order.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// Work group, grid and unrolling of a map.
struct MapSchedule {
  int64_t group_size;
  Grid grid;
  int unroll;
  bool short_path = false;              ///< the program also has a short path for few vectors
  int width = 4;                        ///< elements of a vector; 1: neighbours read single elements side by side
  std::optional<TileOrder> tiles = {};  ///< then the grid is of tiles
  bool by_rows = false;                 ///< of vectors (lower/map/load.hpp)
  std::optional<int> lines = {};        ///< the axis of vectors that are four lines (lower/map/line_vectors.hpp)

  /// EG_CHUNK of map.comp; 0 selects the short path.
  int64_t chunk(const Target& target) const {
    const bool is_short = short_path && grid.chunk == group_size && grid.groups <= target.max_groups;
    return is_short ? 0 : grid.chunk;
  }
};

/// Resident groups with contiguous chunks and several loads in flight, which touch few pages at a time; a group for
/// each chunk where pages are large.
MapSchedule plan_map(const Target& target, const MapKernel& kernel);

}  // namespace eglantine::lower
