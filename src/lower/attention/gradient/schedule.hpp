#pragma once

#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// What a gradient has results for, and what it goes through for each of them.
inline int64_t lines_of(const AttentionGradientKernel& kernel) {
  return kernel.is_of_keys() ? kernel.columns : kernel.rows;
}
inline int64_t others_of(const AttentionGradientKernel& kernel) {
  return kernel.is_of_keys() ? kernel.rows : kernel.columns;
}

/// How a work group covers the scores of an AttentionGradientKernel: **lines** are what has the gradient, rows of q or
/// columns of k and v, **others** what it sums over. An invocation has `lines` lines, 4 * `score_vectors` others of a
/// step, and 4 * `out_vectors` (of v's gradient 4 * `second_vectors`) elements of each line's gradient. In the tile
/// form `lanes_x` invocations share lines and `lanes_y` have others; operands go through shared memory. In the serial
/// form each of `lanes_y` invocations works alone.
struct AttentionGradientTile {
  bool serial = false, of_keys = false;
  bool of_all = false;  ///< of q as well, by a group that goes through several tiles
  int64_t parts = 1;    ///< of q's gradient, of `all`: a group's each, whose sum it is
  int lanes_x = 1, lanes_y = 8;
  int lines = 1;
  int score_vectors = 1, out_vectors = 1, second_vectors = 0;
  int slots = 0;       ///< vectors of features of a step, of the tile form; a power of two, as the next
  int sum_slots = 0;   ///< vectors of others whose scores' gradients are in shared memory at once
  int line_slots = 0;  ///< vectors of four lines, the same, of `of_all`; at most lanes_y
  bool fused = false;  ///< fma(): no compiler makes it of sums that lead to a precise function
  bool bare = false;   ///< barrier() alone orders shared memory

  int group_size() const { return lanes_x * lanes_y; }
  int tile_lines() const { return lines * lanes_y; }
  int tile_others() const { return 4 * score_vectors * lanes_x; }
  int tile_out() const { return out_vectors * lanes_x; }  ///< vectors
  int tile_second() const { return second_vectors * lanes_x; }
  int shared_vectors() const;
};

/// Tiles of lines, and how many of them a group goes through: one, or as many as its part has.
int64_t tiles_of(const AttentionGradientKernel& kernel, const AttentionGradientTile& tile);
int64_t turns_of(const AttentionGradientKernel& kernel, const AttentionGradientTile& tile);

AttentionGradientTile attention_gradient_tile(const Target& target, const AttentionGradientKernel& kernel);

/// The most others of one dispatch, so that an invocation's loops stay within the driver's bound.
int64_t longest_others(const Target& target, const AttentionGradientKernel& kernel, const AttentionGradientTile& tile);

}  // namespace eglantine::lower
