#pragma once

#include "lower/reduce/schedule.hpp"
#include "lower/reduce/tiles.hpp"

/// Column trees of reductions whose result no order changes: one dispatch takes all rows, however many.
namespace eglantine::lower {

/// Whether the order changes no value: floats are rounded by sums, products and users' operations alone.
bool is_exact(Reduction by, DType dtype);

TilePlan any_order_plan(const Target& target, const ReduceLevel& level);

/// Whether the form is for this level: what no order changes, on hardware. Of plain values where the tree takes several
/// dispatches.
bool worth_any_order(const Target& target, const ReduceLevel& level);

}  // namespace eglantine::lower
