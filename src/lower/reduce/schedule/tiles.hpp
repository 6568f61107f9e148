#pragma once

#include <cstdint>
#include <string>

#include "graph/node.hpp"
#include "lower/program_dispatch.hpp"

/// Tiles of the columns of a reduction, which groups may share: the last group of a tile to finish combines what the
/// others left (glsl/reduce/reduce_column_tiles.comp).
namespace eglantine::lower {

/// How the columns and rows of a column tree are divided among groups.
struct TilePlan {
  int64_t group = 1;                      ///< invocations
  int64_t side = 1;                       ///< vectors of a tile, side by side
  int64_t tiles = 1;                      ///< of all columns
  int64_t chunk = 1;                      ///< rows, or blocks of the tree, of a tile that a group takes
  int64_t shares = 1;                     ///< groups of a tile
  int64_t left_a_vector = 1;              ///< results that the groups of a tile leave for each vector
  int64_t words_a_vector = vector_width;  ///< of accumulators

  int64_t lanes() const { return group / side; }
  int64_t groups() const { return tiles * shares; }
  /// Words of what the groups leave for the last one of their tile.
  int64_t words() const { return tiles * left_a_vector * side * words_a_vector; }
};

/// Words of what a group leaves of a vector of accumulators in memory, or, singly, of one column.
int64_t words_a_vector(Reduction reduction, bool singly);

/// Of the counters of groups, and of what they leave.
struct TileBindings {
  int counters, left;
};

/// eg_arrive, eg_reset, eg_leave and eg_left.
std::string shared_tile_functions(Reduction reduction, DType dtype, const TileBindings& bindings, bool singly);

}  // namespace eglantine::lower
