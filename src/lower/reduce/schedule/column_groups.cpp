#include <algorithm>

#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/reduce/schedule/any_order.hpp"
#include "lower/reduce/schedule/group_plan.hpp"
#include "lower/reduce/schedule/shared_columns.hpp"

namespace eglantine::lower {
namespace {

// Items of a round of column_spread: 16 KiB of shared memory.
constexpr int64_t spread_items = 128;

void take_shared_tiles(GroupPlan& plan, const Target& target, const ReduceLevel& level) {
  plan.tile_plan = tile_plan_of(target, level);
  if (level.singly) plan.lanes_singly = plan.tile_plan.lanes();
  plan.group_size = plan.tile_plan.group;
  plan.side = plan.tile_plan.side;
  plan.grid = {plan.tile_plan.groups(), plan.tile_plan.chunk};
}

void fuse_two_levels(GroupPlan& plan, const Target& target, const ReduceLevel& level) {
  plan.split = splits_blocks(target, level);
  if (!plan.long_prologue && !plan.split) plan.trips = whole_trips(level);
  plan.group_size = two_level_group(target, level);
  plan.side = two_level_vectors(target, level);
  plan.grid = {std::min(plan.items(), target.max_groups), 1};
}

/// A round is as long as shared memory allows, and short enough for every group to have one.
void spread(GroupPlan& plan, const Target& target, const ReduceLevel& level) {
  plan.group_size = group_size_of(target, GroupPlan::software_group);
  plan.slots = is_arg(level.reduction) ? spread_items / 2 : spread_items;
  const int64_t groups = ceil_divide(target.resident_invocations, plan.group_size);
  const int64_t rounds = std::clamp<int64_t>(plan.items() / groups / plan.group_size, 1, plan.slots / plan.group_size);
  plan.items_at_once = rounds * plan.group_size;
  plan.grid = resident_grid(target, plan.items(), plan.items_at_once, plan.group_size,
                            rounds * (layout::column_accumulators + 1) * (layout::column_trips + 2));
}

void stream_columns(GroupPlan& plan, const Target& target, const ReduceLevel& level) {
  plan.split = plan.pattern == ReducePattern::column_split;
  if (plan.pattern == ReducePattern::column_short) plan.unroll = static_cast<int>(level.length);
  plan.group_size = group_size_of(target, GroupPlan::hardware_group);
  const int64_t at_once = plan.split ? plan.group_size / layout::column_accumulators : plan.group_size;
  plan.side = split_neighbours(level, at_once);
  plan.grid = streaming_grid(target, plan.items(), at_once, plan.group_size, layout::column_trips + 2);
}

}  // namespace

TilePlan tile_plan_of(const Target& target, const ReduceLevel& level) {
  return level.any_order ? any_order_plan(target, level) : shared_columns_plan(target, level);
}

void plan_column_groups(GroupPlan& plan, const Target& target, const ReduceLevel& level) {
  if (has_shared_tiles(plan.pattern)) return take_shared_tiles(plan, target, level);
  if (plan.pattern == ReducePattern::column_two_level) return fuse_two_levels(plan, target, level);
  if (plan.pattern == ReducePattern::column_spread) return spread(plan, target, level);
  stream_columns(plan, target, level);
}

}  // namespace eglantine::lower
