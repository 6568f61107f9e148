#include "lower/reduce/schedule/group_plan.hpp"

#include "layout/divide.hpp"
#include "lower/reduce/schedule/level_addresses.hpp"

namespace eglantine::lower {

bool by_each_row(ReducePattern pattern) {
  return pattern == ReducePattern::row_together || pattern == ReducePattern::row_each;
}

bool loads_all_at_once(ReducePattern pattern) {
  return pattern == ReducePattern::row_fours || pattern == ReducePattern::column_short;
}

bool takes_subgroups(ReducePattern pattern) {
  return pattern == ReducePattern::row_subgroup || pattern == ReducePattern::row_eights;
}

bool in_order_of_memory(ReducePattern pattern) {
  return pattern == ReducePattern::row_staged || pattern == ReducePattern::row_fours;
}

bool has_shared_tiles(ReducePattern pattern) {
  return pattern == ReducePattern::column_any_order || pattern == ReducePattern::column_shared;
}

int64_t GroupPlan::kept_of_an_item() const {
  if (pattern == ReducePattern::row_fours) return vector_width;
  return is_row() ? at_once : columns_at_once;
}

int64_t GroupPlan::vector_count() const { return ceil_divide(window.kept.count, columns_at_once); }

int64_t GroupPlan::tiles() const { return has_tiles() ? ceil_divide(vector_count(), side) : vector_count(); }

int64_t GroupPlan::items() const {
  if (has_shared_tiles(pattern)) return grid.groups;
  const int64_t kept = is_row() ? ceil_divide(window.kept.count, kept_of_an_item()) : tiles();
  return kept * window.blocks.count;
}

GroupPlan group_plan(const Target& target, const ReduceLevel& level, const ReduceWindow& window, ReducePattern pattern,
                     const codegen::LoadStage& load) {
  GroupPlan plan{.pattern = pattern,
                 .window = window,
                 .at_once = level.at_once(),
                 .columns_at_once = level.columns_at_once(),
                 .apart = loads_apart(level, pattern),
                 .leaves = level.counters != nullptr,
                 .long_prologue = has_long_prologue(level),
                 .of_memory = load.begins_before()};
  // A plain sum is so cheap that its loads decide.
  const bool loads_count = target.large_pages && level.reduction == Reduction::sum && level.prologue.code.size() == 1;
  plan.unroll = loads_count ? GroupPlan::most_unroll : unroll_of(level.prologue);
  plan.is_row() ? plan_row_groups(plan, target, level, load.loads()) : plan_column_groups(plan, target, level);
  return plan;
}

}  // namespace eglantine::lower
