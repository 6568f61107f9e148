#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

/// What the levels of a reduction are, and how each is best computed on a device.
namespace eglantine::lower {

/// The most blocks of a row in ReducePattern::row_two_level: a group of 1024 invocations.
inline constexpr int64_t two_level_row_blocks = 16;

/// How a level of a reduction accesses memory. Columns that are computed at once (together.hpp) are the vector of a
/// column pattern, instead of four.
enum class ReducePattern {
  row,                  ///< row tree: a group's lanes run along the reduced elements and combine in shared memory
  row_short,            ///< row tree, many rows of a few lanes: an invocation combines the lanes of a row
  row_staged,           ///< row tree, many short rows that begin anywhere: in shared memory, a row an invocation
  row_fours,            ///< the same of the shortest: an invocation has four of them in registers
  row_eights,           ///< row tree, many rows of 65 to 256 elements: eight invocations of a subgroup reduce a row
  row_subgroup,         ///< row tree, many rows of more lanes: a subgroup reduces a block by itself
  row_serial,           ///< row tree, rows of one trip on software devices: an invocation takes all lanes of a row
  row_serial_together,  ///< row tree, software devices: an invocation takes neighbouring rows that make the same
                        ///< numbers
  row_together,         ///< row tree, neighbouring rows that read much in common: a lane takes several of them at once
  row_each,             ///< row tree, many rows of what is read by the row or by the element alone, such as pairs of
                        ///< points: an invocation takes a row, or several at once
  row_two_level,        ///< row tree, rows of a few blocks, two levels fused: a group also combines its row's blocks
  row_single_pass,      ///< row tree, one long row: the last group to finish also runs the levels that follow
  column_short,         ///< column tree, many columns of few rows, all of which an invocation loads at once
  column,               ///< column tree: an invocation takes four columns of a block, with all accumulators at once
  column_serial,        ///< the same, one accumulator after the other: for long prologues
  column_split,         ///< the same, several blocks, or one that leaves the device idle: an invocation takes one
                        ///< accumulator; they combine in shared memory
  column_two_level,     ///< any of these, two levels fused: a group also combines its blocks
  column_spread,     ///< column tree, software devices: a group takes many items, one accumulator after the other, in
                     ///< shared memory
  column_any_order,  ///< column tree of what no order changes, many rows: tiles of columns, whole
  column_shared,     ///< column tree, two levels fused: groups share the blocks of a tile of columns
};

/// One level of a reduction: each block of `length` values, for each of `kept` coordinates, becomes one value. The last
/// level has one block and stores through the epilogue; others store partial results for the next. A two-level level
/// fuses two of the tree's, and its blocks are the second's. A single-pass level includes all that follow: its blocks
/// are the first's, and it stores through the epilogue.
struct ReduceLevel {
  Expr prologue;
  std::optional<Expr> indices;  ///< argmax and argmin from the second level on: the indices of the values
  int kept_rank = 0;
  Reduction reduction;
  ReduceOpPtr custom;  ///< of Reduction::custom
  layout::ReduceTree tree;
  bool two_level = false, single_pass = false;
  bool any_order = false;  ///< all rows at once (any_order.hpp)
  bool singly = false;     ///< with any_order: an invocation takes one column, and four of its rows at a time
  bool shared = false;     ///< with two_level: groups share a tile of columns (shared_columns.hpp)
  int together = 0;        ///< the last kept axes that number rows, or columns, taken at once
  int64_t kept = 1, length = 1, blocks = 1;
  int64_t first_block = 0;   ///< the block from which elements are numbered
  Expr epilogue;             ///< of the last level
  Strided out;               ///< of the last level
  BufferPtr partials;        ///< of other levels: (kept, blocks) in a row tree, (blocks, kept) in a column tree; of a
                             ///< single-pass level the words that its groups share (Lowering::exchange)
  BufferPtr left, counters;  ///< what groups leave for the last one of a tile, and the counters of tiles; null where a
                             ///< tile is one group's

  bool is_last() const { return single_pass || blocks == 1; }
  /// Elements of a block.
  int64_t block() const;
  /// Rows, or columns, that are computed at once; 1 without `together`.
  int64_t at_once() const;
  /// Columns that an invocation takes.
  int64_t columns_at_once() const;
};

/// The level that reads the kernel's elements, its blocks not chosen yet.
ReduceLevel first_level(const ReduceKernel& kernel);

ReducePattern pattern_of(const Target& target, const ReduceLevel& level);

/// Whether rows are row_each's, `at_once` of them at a time.
bool takes_each_row(const Target& target, const ReduceLevel& level, int64_t at_once);

/// Whether fusing two levels pays: rows of a few blocks, or columns enough to fill the device when a group takes all
/// blocks of one of the second level.
bool worth_fusing_levels(const Target& target, const ReduceLevel& level);

/// Whether a single pass pays: one row of more blocks than a group takes, which all groups share. Another dispatch
/// takes longer than few groups lose, also of a few hundred thousand elements (5.7 to 7.8 us of 1.3 million, 13.7
/// in two dispatches).
bool worth_single_pass(const Target& target, const ReduceLevel& level);

// ---- what a pattern takes ----

/// Invocations of a subgroup, the only count that row_subgroup and row_eights have forms for.
constexpr int64_t subgroup_of_rows = 32;

/// The lanes that have elements of a block, as a power of two.
int64_t lanes_of(int64_t length);

/// Invocations of a group of row_two_level, which takes a row.
int64_t two_level_row_group(const ReduceLevel& level);

/// The same of column_two_level, and the vectors that a group has side by side.
int64_t two_level_group(const Target& target, const ReduceLevel& level);
int64_t two_level_vectors(const Target& target, const ReduceLevel& level);

/// Whether invocations take one accumulator of a block each, so that neighbours read neighbouring rows.
bool takes_one_accumulator(const Target& target, const ReduceLevel& level);
/// The same in column_two_level, also where a group would have so few blocks that most of its invocations have none.
bool splits_blocks(const Target& target, const ReduceLevel& level);

/// Of column_split, neighbouring invocations that take the same accumulator of neighbouring items: those of one row.
int64_t split_neighbours(const ReduceLevel& level, int64_t items_at_once);

/// Trips of column_two_level over a block's accumulators where all blocks are whole, else 0.
int64_t whole_trips(const ReduceLevel& level);

/// Whether what elements combine to are values alone: neither pairs with an index, nor a user's operation.
bool is_combined_by_value(const ReduceLevel& level);

/// Whether a prologue is compiled once instead of once for each accumulator.
bool has_long_prologue(const ReduceLevel& level);

}  // namespace eglantine::lower
