#pragma once

#include <cstdint>
#include <string>

#include "lower/reduce/program.hpp"

/// Column trees of reductions whose result no order changes: one dispatch takes all rows, however many.
namespace eglantine::lower {

/// How the columns and rows are divided among groups.
struct AnyOrderPlan {
  int64_t group = 1;                      ///< invocations
  int64_t side = 1;                       ///< vectors of a tile, side by side: a power of two
  int64_t tiles = 1;                      ///< of all columns
  int64_t rows = 1;                       ///< of a tile that a group takes
  int64_t shares = 1;                     ///< groups of a tile
  int64_t words_a_vector = vector_width;  ///< of accumulators

  int64_t lanes() const { return group / side; }
  int64_t groups() const { return tiles * shares; }
  /// Words of what the groups leave for the last one of their tile.
  int64_t words() const { return groups() * side * words_a_vector; }
};

/// Whether the order changes no value: floats are rounded by sums, products and users' operations alone.
bool is_exact(Reduction by, DType dtype);

AnyOrderPlan any_order_plan(const Target& target, const ReduceLevel& level);

/// Whether the form is for this level: what no order changes, on hardware. Of plain values where the tree takes several
/// dispatches.
bool worth_any_order(const Target& target, const ReduceLevel& level);

/// eg_arrive, eg_reset, eg_leave and eg_left, by the bindings of the counters and of what is left.
std::string any_order_functions(Reduction reduction, DType dtype, int counters, int left);

}  // namespace eglantine::lower
