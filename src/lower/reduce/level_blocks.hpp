#pragma once

#include "lower/lowering.hpp"
#include "lower/reduce/schedule/schedule.hpp"

/// How much of a reduction one dispatch does: from what pays on the device for a level's shape (schedule/schedule.hpp
/// and the forms' own headers), and whether one dispatch can bind and count it all.
namespace eglantine::lower {

/// Sets how many blocks a level has, and what one dispatch does of it, where one can do it all: rows at once, two
/// levels fused, all of one row, or whole columns.
void choose_blocks(Lowering& lowering, ReduceLevel& level);

/// The level that combines a level's partial results.
ReduceLevel next_level(const ReduceLevel& level, DType dtype);

}  // namespace eglantine::lower
