#pragma once

#include <algorithm>

#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// How a work group covers scores and results. An invocation has `rows` rows, 4 * `score_vectors` columns of a step,
/// and 4 * `result_vectors` results of each row. In the tile form `lanes_x` invocations share rows and `lanes_y` have
/// others; operands go through shared memory. In the form of rows they share their rows' features too, and keep them in
/// registers, so that keys and values alone go through shared memory. In the serial form each of `lanes_y` invocations
/// works alone.
struct AttentionTile {
  enum class Form { tile, rows, serial };
  Form form = Form::tile;
  int heads = 1;  ///< of a group, each with invocations and shared memory of its own; one but in the form of rows
  int lanes_x = 1, lanes_y = 8;
  int rows = 1;
  int score_vectors = 1, result_vectors = 1;
  int feature_vectors = 0;  ///< of a row that an invocation has, in the form of rows
  int step_columns = 0;     ///< of a step, in the form of rows
  int slots = 0;            ///< vectors of features of a step, of the tile form; a power of two, as the next
  int value_slots = 0;      ///< vectors of columns whose shares and values are in shared memory at once
  bool fused = false;       ///< fma(): no compiler makes it of sums that lead to a precise function
  bool bare = false;        ///< barrier() alone orders shared memory
  bool shuffles = false;    ///< the lanes that share rows are in one subgroup

  bool serial() const { return form == Form::serial; }
  int group_size() const { return heads * lanes_x * lanes_y; }
  /// Rows of a lane lie so far apart that those of a subgroup of 32, or of a head's part of one, are one band.
  int apart() const {
    const int band = std::max(2, 32 / lanes_x);
    return form == Form::rows ? std::min(band, lanes_y) : band;
  }
  int tile_rows() const { return rows * lanes_y; }
  int tile_columns() const { return form == Form::rows ? step_columns : 4 * score_vectors * lanes_x; }
  int key_vectors() const { return feature_vectors * lanes_x; }  ///< of a column in shared memory, in the form of rows
  int tile_vectors() const { return result_vectors * lanes_x; }  ///< of results
  int shared_vectors() const;
};

/// Whether 65 to 96 results take tiles of eight lanes, which have twice as many rows as those of sixteen, of which the
/// last may be mostly empty, unless each lane has four.
bool suits_eight_lanes(const AttentionKernel& kernel);

AttentionTile attention_tile(const Target& target, const AttentionKernel& kernel);

/// The most columns of one dispatch, so that an invocation's loops stay within the driver's bound.
int64_t longest_columns(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile);

}  // namespace eglantine::lower
