#include <algorithm>
#include <bit>

#include "layout/divide.hpp"
#include "lower/reduce/schedule/eights.hpp"
#include "lower/reduce/schedule/group_plan.hpp"

namespace eglantine::lower {
namespace {

/// Plans the groups of a row tree, a function a pattern.
class RowGroups {
 public:
  RowGroups(GroupPlan& plan, const Target& target, const ReduceLevel& level, int64_t loads)
      : plan_(plan),
        target_(target),
        level_(level),
        loads_(loads),
        length_(std::min(level.length, level.block())),
        lanes_(lanes_of(length_)) {}

  void run() {
    switch (plan_.pattern) {
      case ReducePattern::row_two_level:
        return two_levels();
      case ReducePattern::row_together:
        return together();
      case ReducePattern::row_staged:
        return staged();
      case ReducePattern::row_fours:
        return in_fours();
      default:
        plan_.lanes_log2 = std::countr_zero(static_cast<uint64_t>(lanes_));
        return of_lanes();
    }
  }

 private:
  void of_lanes() {
    switch (plan_.pattern) {
      case ReducePattern::row_each:
        return each();
      case ReducePattern::row_short:
        return in_short_rows();
      case ReducePattern::row_eights:
        return by_eights();
      case ReducePattern::row_subgroup:
        return by_subgroups();
      case ReducePattern::row_serial:
      case ReducePattern::row_serial_together:
        return serial();
      default:
        return by_groups();
    }
  }

  void stream(int64_t items_at_once, int64_t trips) {
    plan_.grid = streaming_grid(target_, plan_.items(), items_at_once, plan_.group_size, trips);
  }

  void two_levels() {
    plan_.group_size = plan_.slots = two_level_row_group(level_);
    plan_.grid = {std::min(plan_.items(), target_.max_groups), 1};
  }

  void together() {
    plan_.group_size = layout::row_lanes;
    stream(1, layout::row_trips + plan_.at_once * 2 + 8);
  }

  void staged() {
    plan_.staged = staged_rows(target_, level_).value();
    plan_.group_size = plan_.staged.group;
    stream(plan_.staged.rows_at_once(), plan_.staged.rows_each * (2 * lanes_ + 1) + 2);
  }

  /// A group is a subgroup, which waits for no other: what one loads, others combine meanwhile.
  void in_fours() {
    plan_.group_size = group_size_of(target_, subgroup_of_rows);
    plan_.unroll = static_cast<int>(length_);
    plan_.grid = grid_of_small_groups(target_, plan_.items(), plan_.group_size);
  }

  void each() {
    plan_.group_size = group_size_of(target_, GroupPlan::hardware_group);
    stream(plan_.group_size, ceil_divide(length_, vector_width) + 2 * lanes_);
  }

  void in_short_rows() {
    plan_.group_size = group_size_of(target_, GroupPlan::hardware_group);
    stream(plan_.group_size / lanes_ * plan_.unroll, 2 * plan_.unroll * lanes_ + 2);
  }

  /// With twice as many loads in flight as other patterns, as registers allow: of a row, or of several short ones.
  void by_subgroups() {
    const int64_t before = plan_.of_memory ? vector_width - 1 : 0;
    const int64_t vectors = ceil_divide(length_ + before, subgroup_of_rows * vector_width);
    plan_.unroll = std::min(2 * plan_.unroll, GroupPlan::most_unroll);
    const bool at_once = vectors <= plan_.unroll;  // a block has many more
    plan_.vectors_at_once = at_once ? vectors : 0;
    // Three or more whole vectors of memory each are quicker of one row (333: 136 us, of two 152).
    const bool alone = !at_once || (plan_.of_memory && vectors > 2);
    plan_.rows_at_once = alone ? 1 : plan_.unroll / vectors;
    if (!at_once && length_ < layout::row_block) plan_.unroll = static_cast<int>(even_unroll(vectors));
    plan_.group_size = group_size_of(target_, GroupPlan::hardware_group);
    stream(plan_.group_size / subgroup_of_rows * plan_.rows_at_once, 2 * vectors + 8);
  }

  /// Loads in flight of several rows where one has few, or none, as of random numbers.
  void by_eights() {
    plan_.vectors_at_once = vectors_of_eights(length_, plan_.of_memory);
    plan_.rows_at_once =
        std::max<int64_t>(1, GroupPlan::most_unroll / (plan_.vectors_at_once * std::max<int64_t>(1, loads_)));
    plan_.group_size = group_size_of(target_, GroupPlan::hardware_group);
    stream(plan_.group_size / lanes_of_eights * plan_.rows_at_once, 2 * plan_.vectors_at_once + 8);
  }

  /// Lines of a row's vectors that are in flight: as many in each trip, so that few lines are left for the loop that
  /// takes one at a time. Vectors of memory leave the first and the last line to it; lines of the tree's lanes
  /// alternate between two accumulators, so that their number is even.
  int64_t even_unroll(int64_t lines) const {
    const int64_t whole = plan_.of_memory ? lines - 2 : length_ / (subgroup_of_rows * vector_width);
    const int64_t each = whole / ceil_divide(whole, plan_.unroll);
    return plan_.of_memory ? each : std::max<int64_t>(2, each - each % 2);
  }

  void serial() {
    const int64_t trips_a_lane = ceil_divide(length_, lanes_ * vector_width);
    plan_.group_size = group_size_of(target_, GroupPlan::software_group);
    plan_.grid =
        resident_grid(target_, plan_.items(), plan_.group_size, plan_.group_size, (2 + trips_a_lane) * lanes_ + 1);
  }

  void by_groups() {
    plan_.group_size = group_size_of(target_, target_.software ? GroupPlan::software_group : GroupPlan::hardware_group);
    // Few blocks are spread over more groups.
    const bool few = (plan_.items() << plan_.lanes_log2) < target_.resident_invocations;
    if (!target_.software && few && !level_.single_pass)
      plan_.group_size = std::min(plan_.group_size, layout::row_lanes);
    if (has_idle_lanes()) plan_.unroll = std::max(plan_.unroll, GroupPlan::most_unroll / (plan_.long_prologue ? 2 : 1));
    plan_.slots = std::max(layout::row_lanes, plan_.group_size);
    const int64_t trips = (plan_.slots / plan_.group_size) * (2 * layout::row_trips + plan_.lanes_log2 + 3) + 1;
    stream(plan_.slots >> plan_.lanes_log2, trips);
  }

  /// So few lanes leave registers for more loads each, and have no others to work while they wait. Vectors that take a
  /// load for each element are as many already: counts of 3.6 million, every other one, 32.5 us with more and 27.1
  /// without.
  bool has_idle_lanes() const {
    return !target_.software && (plan_.items() << (plan_.lanes_log2 + 2)) <= target_.resident_invocations &&
           loads_ <= 2 * static_cast<int64_t>(level_.prologue.operands.size());
  }

  GroupPlan& plan_;
  const Target& target_;
  const ReduceLevel& level_;
  int64_t loads_;
  int64_t length_, lanes_;  ///< of a block
};

}  // namespace

void plan_row_groups(GroupPlan& plan, const Target& target, const ReduceLevel& level, int64_t loads) {
  RowGroups(plan, target, level, loads).run();
}

}  // namespace eglantine::lower
