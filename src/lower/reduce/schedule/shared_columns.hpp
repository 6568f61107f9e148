#pragma once

#include "lower/reduce/schedule/schedule.hpp"
#include "lower/reduce/schedule/tiles.hpp"

/// The last two levels of a column tree by one dispatch, where a group for a tile of columns would leave the device
/// idle: groups share them.
namespace eglantine::lower {

TilePlan shared_columns_plan(const Target& target, const ReduceLevel& level);

/// Whether the form is for a level whose columns alone, in groups of two levels fused, would leave the device idle or
/// do not fit: on hardware, columns of several blocks, but of one of the next level, in no more tiles than there are
/// counters.
bool worth_sharing_columns(const Target& target, const ReduceLevel& level);

}  // namespace eglantine::lower
