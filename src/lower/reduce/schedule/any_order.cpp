#include "lower/reduce/schedule/any_order.hpp"

#include <algorithm>
#include <bit>

#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t usual_group = 256;
// Of columns of many matrices, an invocation each: of 3000 x 300 x 33 42 us on an H200, in groups of 256 48, of 512 72;
// but of 1665 x 34,648 x 9, sliced, 777 and 559.
constexpr int64_t group_of_matrices = 128, group_of_long_matrices = 256, long_matrix = 16384;
// 256 bytes of a row: whole lines of the cache.
constexpr int64_t least_side = 16;
// Rows that an invocation takes at least, so that its loads weigh more than combining lanes and groups.
constexpr int64_t fewest_rows = 8;
// In large pages many short groups are faster than long chunks; what they leave is then several of a lane's rows.
constexpr int64_t rows_a_round = 64, most_left_a_lane = 8;

// Columns that are taken singly, and a group's lanes for each: enough to combine what groups leave in a few trips.
constexpr int64_t most_singly = 8, lanes_singly = 128, most_invocations_singly = 512;

// Columns of one matrix, and of a tile, that are taken singly where there are many matrices.
constexpr int64_t most_of_matrix = 64;

// Of the tree's blocks, as many as leave half of a group of column_two_level without any.
constexpr int64_t few_blocks = 4;

/// Vectors side by side: all invocations of a group where that keeps the device busy, else as few as leave enough
/// lanes.
int64_t side_of(const Target& target, int64_t vectors, int64_t length, int64_t group) {
  const int64_t lanes = std::min(target.resident_invocations / vectors, length / fewest_rows);
  const auto used = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, lanes))));
  const auto all = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(vectors)));
  return std::min({std::max(least_side, group / used), group, all});
}

/// Groups that share a tile: as many as keep the device busy.
int64_t most_shares(const Target& target, const TilePlan& plan, int64_t length) {
  if (plan.tiles > exchange_counters) return 1;
  const int64_t resident = std::max<int64_t>(1, target.resident_invocations / plan.group);
  const int64_t most = length / (plan.lanes() * fewest_rows), busy = resident / plan.tiles;
  const int64_t rounds = std::min(length / (plan.lanes() * rows_a_round), most_left_a_lane * plan.lanes());
  return std::max<int64_t>(1, std::min(most, target.large_pages ? std::max(busy, rounds) : busy));
}

/// Lanes of a column that is taken singly: more where groups of them still give each multiprocessor one, since the
/// last group then has fewer results to combine.
int64_t lanes_of_singly(const Target& target, int64_t columns, int64_t length) {
  int64_t lanes = std::min(lanes_singly, group_size_of(target, target.max_invocations / columns));
  const auto groups = [&](int64_t count) { return length / (count * vector_width * fewest_rows); };
  while (2 * lanes * columns <= std::min(most_invocations_singly, target.max_invocations) &&
         groups(2 * lanes) >= multiprocessors_of(target))
    lanes *= 2;
  return lanes;
}

/// Columns side by side in one of many matrices; 0 where there is one, or they are whole vectors, or more than a tile.
int64_t columns_of_matrix(const ReduceLevel& level) {
  if (level.kept_rank < 2 || level.prologue.operands.empty()) return 0;
  const int64_t columns = level.prologue.domain[level.kept_rank - 1];
  return columns % vector_width == 0 || columns > most_of_matrix ? 0 : columns;
}

/// Whole matrices, as many in a tile as let groups share tiles, where it holds them.
int64_t side_of_matrices(int64_t columns, int64_t kept) {
  const int64_t shared = ceil_divide(kept / columns, exchange_counters), most = most_of_matrix / columns;
  return columns * std::clamp<int64_t>(shared, 1, most);
}

void take_singly(TilePlan& plan, const Target& target, const ReduceLevel& level) {
  const int64_t columns = columns_of_matrix(level);
  plan.side = columns > 0 ? side_of_matrices(columns, level.kept) : level.kept;
  const int64_t wanted = level.length < long_matrix ? group_of_matrices : group_of_long_matrices;
  const int64_t lanes = columns > 0 ? static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(wanted / plan.side)))
                                    : lanes_of_singly(target, level.kept, level.length);
  plan.group = plan.side * std::min(lanes, group_size_of(target, target.max_invocations / plan.side));
}

}  // namespace

bool is_exact(Reduction by, DType dtype) {
  return dtype != DType::f32 || (by != Reduction::sum && by != Reduction::prod && by != Reduction::custom);
}

TilePlan any_order_plan(const Target& target, const ReduceLevel& level) {
  TilePlan plan;
  plan.words_a_vector = words_a_vector(level.reduction, level.singly);
  const int64_t vectors = ceil_divide(level.kept, vector_width);
  plan.group = group_size_of(target, usual_group);
  plan.side = side_of(target, vectors, level.length, plan.group);
  int64_t length = level.length;
  if (level.singly) {
    take_singly(plan, target, level);
    length = lines_of(plan, level.length);
  }
  plan.tiles = ceil_divide(level.singly ? level.kept : vectors, plan.side);
  const int64_t rounds = ceil_divide(length, plan.lanes());
  plan.chunk = ceil_divide(rounds, most_shares(target, plan, length)) * plan.lanes();
  plan.shares = plan.left_a_vector = ceil_divide(length, plan.chunk);
  return plan;
}

bool worth_taking_singly(const ReduceLevel& level) {
  const bool are_few = level.kept < most_singly && level.kept % vector_width != 0;
  return (are_few || columns_of_matrix(level) > 0) && level.length >= layout::column_block && !level.indices;
}

bool worth_as_column(const Target& target, const ReduceLevel& level) {
  if (target.software || level.tree != layout::ReduceTree::row || level.kept != 1 || level.indices) return false;
  if (!is_exact(level.reduction, level.prologue.dtype()) || level.prologue.operands.empty()) return false;
  const int64_t blocks = ceil_divide(level.length, layout::row_block);
  const bool fills = blocks * layout::row_lanes >= target.resident_invocations;
  return blocks > two_level_row_blocks && !fills && !worth_single_pass(target, level) &&
         level.prologue.piecewise.empty() &&
         std::ranges::none_of(level.prologue.operands, [](const Strided& x) { return is_narrow(x.storage); });
}

int64_t lines_of(const TilePlan& plan, int64_t length) {
  const int64_t lanes = plan.lanes(), block = vector_width * lanes;
  return length / block * lanes + std::min(length % block, lanes);
}

bool worth_any_order(const Target& target, const ReduceLevel& level) {
  if (target.software || level.tree != layout::ReduceTree::column || !is_exact(level.reduction, level.prologue.dtype()))
    return false;
  // Of plain values one dispatch of the tree is as quick, unless so many columns have so few blocks that invocations
  // which each take a vector of them alone keep the device busy, and wait for none.
  const bool alone = level.length > layout::column_block && level.length <= few_blocks * layout::column_block &&
                     ceil_divide(level.kept, vector_width) >= target.resident_invocations;
  const bool two_levels = level.length <= layout::column_block * layout::column_block;
  const bool one_dispatch = level.length <= layout::column_block || (two_levels && worth_fusing_levels(target, level));
  if (!is_arg(level.reduction) && one_dispatch && !alone) return false;
  return any_order_plan(target, level).groups() <= target.max_groups;
}

}  // namespace eglantine::lower
