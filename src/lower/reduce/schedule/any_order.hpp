#pragma once

#include "lower/reduce/schedule/schedule.hpp"
#include "lower/reduce/schedule/tiles.hpp"

/// Column trees of reductions whose result no order changes: one dispatch takes all rows, however many.
namespace eglantine::lower {

/// Whether the order changes no value: floats are rounded by sums, products and users' operations alone.
bool is_exact(Reduction by, DType dtype);

TilePlan any_order_plan(const Target& target, const ReduceLevel& level);

/// Whether an invocation takes one column: of so few, whose rows are no whole vectors, a vector would be two loads and
/// a join, and partly another row's; of the columns of many matrices four loads, each of which touches as many lines of
/// memory as a subgroup has matrices. Neighbouring invocations then access neighbouring elements, and four of a column
/// at a time, each some rows apart, are the components of one accumulator.
bool worth_taking_singly(const ReduceLevel& level);
/// Whether one row is reduced as a column, in one dispatch: of more blocks than one group takes, and fewer than fill
/// the device, where no single pass is for it, as for pairs.
bool worth_as_column(const Target& target, const ReduceLevel& level);
/// The rows of a column that an invocation reads at a time, line by line: row r of line l is
/// l / lanes * 4 lanes + l % lanes, and then every lanes-th; so many lines have rows.
int64_t lines_of(const TilePlan& plan, int64_t length);

/// Whether the form is for this level: what no order changes, on hardware. Of plain values where the tree takes several
/// dispatches.
bool worth_any_order(const Target& target, const ReduceLevel& level);

}  // namespace eglantine::lower
