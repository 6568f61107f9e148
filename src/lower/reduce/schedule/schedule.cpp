#include "lower/reduce/schedule/schedule.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "codegen/addresses/access_pattern.hpp"
#include "graph/kernel/results_together.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/reduce/schedule/eights.hpp"
#include "lower/reduce/schedule/staged.hpp"

namespace eglantine::lower {
namespace {

// The most blocks of row_single_pass: four blocks of the next level, which one invocation combines.
constexpr int64_t most_single_pass_blocks = vector_width * layout::row_block, group_of_single_pass = 256;
static_assert(exchange_counters + most_single_pass_blocks + vector_width <= exchange_words);
// column_two_level: blocks of a group at a time, and its invocations. In a group of 1024 an invocation has few
// registers: enough for loads and accumulators only.
constexpr int64_t two_level_blocks = 32, two_level_group_of_loads = 1024, largest_two_level_group = 512;
// Vectors of a group side by side where an invocation takes one accumulator of a block: of 16-bit elements, a line of
// the cache.
constexpr int64_t split_two_level_vectors = 16;
// Lanes of row_short that an invocation combines in its registers.
constexpr int64_t most_short_lanes = 16;

int64_t power_from(int64_t x) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(x))); }

/// Vectors of narrow elements are short: with all accumulators in its registers an invocation has too few bytes in
/// flight.
bool loads_narrow(const ReduceLevel& level) {
  return !level.prologue.operands.empty() && is_narrow(level.prologue.operands.front().storage);
}

int64_t vectors_of(const ReduceLevel& level) { return ceil_divide(level.kept, level.columns_at_once()); }

/// Fewer than half of the vectors that a group of column_two_level would have side by side.
bool has_few_columns(const Target& target, const ReduceLevel& level) {
  return 2 * vectors_of(level) <= two_level_group(target, level) / two_level_blocks;
}

/// Whether several rows lie in a line of the cache: an invocation that took all rows of a block by itself would come
/// back to so many lines that the cache has lost them. Norms of (17, 4825200, 7) over axis 1 took 20.4 ms so.
bool rows_share_lines(const ReduceLevel& level) {
  constexpr int64_t line = 128;
  return std::ranges::any_of(level.prologue.operands, [&](const Strided& operand) {
    const auto& strides = operand.layout.strides;
    const int64_t apart = std::abs(strides.back()) * bytes_of(operand.storage);
    return apart > 0 && apart < line &&
           std::any_of(strides.begin(), strides.begin() + level.kept_rank, [](int64_t stride) { return stride != 0; });
  });
}

/// Whether an invocation takes one accumulator of a block, which is eight times the loads in flight of fewer rows each:
/// where there are several blocks, or one leaves some of the device idle, or sums wait for few bytes. Sums of (27648,
/// 729) over axis 0 take 40.6 us so, 76.2 with all accumulators in its registers; of whole vectors 4 to 10 % less. Of
/// results taken together only where most of the device is idle otherwise.
bool worth_splitting(const Target& target, const ReduceLevel& level) {
  if (level.length < 2 * layout::column_accumulators) return false;
  if (takes_one_accumulator(target, level)) return true;
  const int64_t items = vectors_of(level) * level.blocks;
  if (level.together > 0) return items * layout::column_accumulators <= target.resident_invocations;
  return level.blocks > 1 || items < target.resident_invocations;
}

/// Vectors that begin anywhere, which are two loads each, and so many of them that blocks by themselves fill the
/// device: sums of products of two (287, 598687) over axis 0 take 346 us so, 496 with two levels fused, and of 598,688
/// columns 341. Where groups share tiles of fewer columns, that is not measured.
bool fills_with_joined_vectors(const Target& target, const ReduceLevel& level) {
  const int64_t items = vectors_of(level) * ceil_divide(level.length, layout::column_block);
  return level.together == 0 && level.kept % vector_width != 0 && items >= target.resident_invocations;
}

/// Rows of so few lanes that waiting for each other takes them longer than reading, and enough of them for the device.
bool has_short_rows(const Target& target, const ReduceLevel& level) {
  return !target.software && level.length <= most_short_lanes * vector_width &&
         level.kept * lanes_of(level.length) >= target.resident_invocations;
}

/// Rows that begin anywhere, so long that reading vectors joined of two takes no longer than staging them: sums of
/// 700,001 rows of 25, 33 and 57 elements on an H200 28, 39 and 50 us, staged 33, 48 and 82 (the largest of 23 43 and
/// 30); of two operands' products 47, 69 and 89, staged 44, 64 and 100.
bool is_worth_joining(const ReduceLevel& level) {
  constexpr int64_t fewest_of_one = 25, fewest_of_several = 37;
  return level.length >= (level.prologue.operands.size() > 1 ? fewest_of_several : fewest_of_one);
}

/// Columns of fewer rows than accumulators have loads for, and so many of them that a program for each length is worth
/// it: of five rows the other three accumulators are half of what is computed.
bool has_short_columns(const Target& target, const ReduceLevel& level) {
  return level.length < 2 * layout::column_accumulators && 2 * vectors_of(level) >= target.resident_invocations &&
         level.together == 0 && !level.singly && is_combined_by_value(level) && !has_long_prologue(level);
}

/// Whether no operand differs both along the rows and from row to row: all that is read is little, or shared.
bool reads_rows_or_elements(const Expr& expr, int kept_rank) {
  const auto moves = [](const Layout& x, int first, int last) {
    const auto begin = x.strides.begin();
    return std::any_of(begin + first, begin + last, [](int64_t stride) { return stride != 0; });
  };
  return std::ranges::none_of(expr.operands, [&](const Strided& operand) {
    const Layout& x = operand.layout;
    return moves(x, 0, kept_rank) && moves(x, kept_rank, x.shape.rank());
  });
}

/// Blocks of a subgroup's lanes or twice as many, and enough of them for the device.
bool suits_subgroups(const Target& target, const ReduceLevel& level) {
  return target.subgroup == subgroup_of_rows && lanes_of(level.length) >= subgroup_of_rows &&
         level.kept * level.blocks * subgroup_of_rows >= target.resident_invocations;
}

}  // namespace

ReduceLevel first_level(const ReduceKernel& kernel) {
  ReduceLevel level;
  level.prologue = kernel.prologue;
  level.kept_rank = kernel.kept_rank;
  level.reduction = kernel.reduction;
  level.custom = kernel.custom;
  level.tree = kernel.tree;
  const Shape& domain = kernel.prologue.domain;
  level.kept = codegen::count_of(domain, {0, kernel.kept_rank});
  level.length = codegen::count_of(domain, {kernel.kept_rank, domain.rank() - kernel.kept_rank});
  level.epilogue = kernel.epilogue;
  level.out = kernel.out;
  return level;
}

int64_t ReduceLevel::block() const {
  if (any_order) return length;
  if (tree == layout::ReduceTree::row) return layout::row_block * (two_level ? two_level_row_blocks : 1);
  return two_level ? layout::column_block * layout::column_block : layout::column_block;
}

int64_t ReduceLevel::at_once() const { return codegen::count_of(prologue.domain, {kept_rank - together, together}); }

int64_t ReduceLevel::columns_at_once() const { return singly ? 1 : together > 0 ? at_once() : vector_width; }

ReducePattern pattern_of(const Target& target, const ReduceLevel& level) {
  if (level.tree == layout::ReduceTree::row) {
    if (takes_each_row(target, level, level.at_once())) return ReducePattern::row_each;
    if (level.together > 0) return target.software ? ReducePattern::row_serial_together : ReducePattern::row_together;
    if (level.two_level) return ReducePattern::row_two_level;
    if (level.single_pass) return ReducePattern::row_single_pass;
    const bool one_trip = level.length <= layout::row_lanes * vector_width;
    if (target.software && one_trip) return ReducePattern::row_serial;
    if (takes_rows_in_fours(target, level)) return ReducePattern::row_fours;
    const bool is_short = has_short_rows(target, level);
    if (is_short && is_worth_joining(level)) return ReducePattern::row_short;
    if (staged_rows(target, level)) return ReducePattern::row_staged;
    if (is_short) return ReducePattern::row_short;
    if (takes_eight_lanes(target, level)) return ReducePattern::row_eights;
    return suits_subgroups(target, level) ? ReducePattern::row_subgroup : ReducePattern::row;
  }
  if (target.software) return ReducePattern::column_spread;
  if (level.any_order) return ReducePattern::column_any_order;
  if (level.shared) return ReducePattern::column_shared;
  if (level.two_level) return ReducePattern::column_two_level;
  if (worth_splitting(target, level)) return ReducePattern::column_split;
  if (has_short_columns(target, level)) return ReducePattern::column_short;
  return has_long_prologue(level) ? ReducePattern::column_serial : ReducePattern::column;
}

// A quarter of the resident invocations, with four pairs or more in flight each, keep the arithmetic busy.
bool takes_each_row(const Target& target, const ReduceLevel& level, int64_t at_once) {
  const bool one_block = level.tree == layout::ReduceTree::row && level.length <= layout::row_block && !level.indices;
  return !target.software && one_block && 4 * (level.kept / at_once) >= target.resident_invocations &&
         can_be_together(level.prologue, level.reduction) && reads_rows_or_elements(level.prologue, level.kept_rank);
}

bool worth_fusing_levels(const Target& target, const ReduceLevel& level) {
  if (target.software) return false;
  if (level.tree == layout::ReduceTree::row) {
    const int64_t blocks = ceil_divide(level.length, layout::row_block);
    return blocks > 1 && blocks <= two_level_row_blocks && two_level_row_group(level) <= target.max_invocations;
  }
  const bool loads_few_bytes = loads_narrow(level) && !takes_one_accumulator(target, level);
  if (level.length <= layout::column_block || loads_few_bytes || fills_with_joined_vectors(target, level)) return false;
  const int64_t blocks = ceil_divide(level.length, layout::column_block * layout::column_block);
  const int64_t groups = ceil_divide(vectors_of(level), two_level_vectors(target, level)) * blocks;
  // With eight loads in flight each, two fifths of the resident invocations keep the device's memory busy.
  return groups * two_level_group(target, level) * 5 >= 2 * target.resident_invocations;
}

bool worth_single_pass(const Target& target, const ReduceLevel& level) {
  const bool one_row = level.tree == layout::ReduceTree::row && level.kept == 1 && !is_arg(level.reduction);
  const int64_t blocks = ceil_divide(level.length, layout::row_block);
  return one_row && target.large_pages && !target.software && target.max_invocations >= group_of_single_pass &&
         blocks > two_level_row_blocks && blocks <= most_single_pass_blocks;
}

int64_t lanes_of(int64_t length) { return power_from(std::min(layout::row_lanes, ceil_divide(length, vector_width))); }

int64_t two_level_row_group(const ReduceLevel& level) {
  return layout::row_lanes * power_from(ceil_divide(level.length, layout::row_block));
}

int64_t two_level_group(const Target& target, const ReduceLevel& level) {
  const bool loads = level.prologue.code.size() == 1 && !is_arg(level.reduction);
  return group_size_of(target, loads ? two_level_group_of_loads : largest_two_level_group);
}

int64_t two_level_vectors(const Target& target, const ReduceLevel& level) {
  const int64_t group = two_level_group(target, level);
  if (!splits_blocks(target, level)) return group / two_level_blocks;
  const int64_t vectors = vectors_of(level), most = group / layout::column_accumulators;
  // Of fewer blocks than a group has lanes for it takes more vectors, as long as there are groups for the device.
  const int64_t blocks = power_from(std::min(most, ceil_divide(level.length, layout::column_block)));
  const int64_t all = std::min(power_from(vectors), most);
  int64_t side = std::min(all, split_two_level_vectors);
  while (2 * side <= std::min(all, most / blocks) &&
         ceil_divide(vectors, 2 * side) * group >= target.resident_invocations)
    side *= 2;
  return side;
}

bool takes_one_accumulator(const Target& target, const ReduceLevel& level) {
  return !is_arg(level.reduction) && (loads_narrow(level) || has_few_columns(target, level) || rows_share_lines(level));
}

bool splits_blocks(const Target& target, const ReduceLevel& level) {
  const bool has_few_blocks = 2 * ceil_divide(level.length, layout::column_block) <= two_level_blocks;
  return takes_one_accumulator(target, level) || (!target.software && !is_arg(level.reduction) && has_few_blocks);
}

int64_t split_neighbours(const ReduceLevel& level, int64_t items_at_once) {
  return std::min(power_from(vectors_of(level)), items_at_once);
}

int64_t whole_trips(const ReduceLevel& level) {
  return level.length % (two_level_blocks * layout::column_block) == 0 ? layout::column_trips : 0;
}

bool is_combined_by_value(const ReduceLevel& level) {
  return !is_arg(level.reduction) && level.reduction != Reduction::custom && !level.indices;
}

bool has_long_prologue(const ReduceLevel& level) {
  constexpr size_t longest_repeated = 12;
  return level.prologue.code.size() > longest_repeated;
}

}  // namespace eglantine::lower
