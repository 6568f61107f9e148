#include "lower/reduce/schedule/shared_columns.hpp"

#include <algorithm>
#include <bit>

#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t group_of_shared = 256;
// 256 bytes of a row: whole lines of the cache.
constexpr int64_t most_side = 16;
// Groups of a multiprocessor's room that keep memory busy while others combine.
constexpr int64_t rounds = 2;

}  // namespace

TilePlan shared_columns_plan(const Target& target, const ReduceLevel& level) {
  TilePlan plan;
  const int64_t vectors = ceil_divide(level.kept, vector_width);
  plan.group = group_size_of(target, group_of_shared);
  const auto all = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(vectors)));
  plan.side = std::min({all, most_side, plan.group / layout::column_accumulators});
  plan.tiles = ceil_divide(vectors, plan.side);
  const int64_t blocks = ceil_divide(level.length, layout::column_block);
  const int64_t at_once = plan.lanes() / layout::column_accumulators;
  const int64_t busy = rounds * target.resident_invocations / plan.group / plan.tiles;
  plan.chunk = ceil_divide(ceil_divide(blocks, std::max<int64_t>(1, busy)), at_once) * at_once;
  plan.shares = ceil_divide(blocks, plan.chunk);
  plan.left_a_vector = blocks;
  return plan;
}

bool worth_sharing_columns(const Target& target, const ReduceLevel& level) {
  if (target.software || level.tree != layout::ReduceTree::column || is_arg(level.reduction)) return false;
  // Of more rows a dispatch less saves little: 65,536 x 512 43.8 us, and 47.8 so.
  const int64_t blocks = ceil_divide(level.length, layout::column_block);
  return blocks > 1 && blocks <= layout::column_block &&
         group_size_of(target, group_of_shared) >= layout::column_accumulators &&
         shared_columns_plan(target, level).tiles <= exchange_counters;
}

}  // namespace eglantine::lower
