#pragma once

#include "codegen/stage/stage.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/reduce/schedule/schedule.hpp"
#include "lower/reduce/schedule/staged.hpp"
#include "lower/reduce/schedule/tiles.hpp"

namespace eglantine::lower {

/// One dispatch: kept coordinates by their linear index, from a multiple of four, and blocks of the tree.
struct ReduceWindow {
  Window kept, blocks;
};

/// Whether an invocation goes along rows whose values it has in registers.
bool by_each_row(ReducePattern pattern);
/// Whether an invocation loads all elements of four rows or columns before it combines them.
bool loads_all_at_once(ReducePattern pattern);
/// Whether lanes of a subgroup exchange what they have of a row.
bool takes_subgroups(ReducePattern pattern);
/// Whether groups read rows one behind the other, in the order of memory.
bool in_order_of_memory(ReducePattern pattern);
/// Whether groups take tiles of columns, which they may share.
bool has_shared_tiles(ReducePattern pattern);

/// How the groups of a dispatch, and their invocations, take its items, each a block's part of a row, of some rows at
/// once or of a vector of columns: from the level's pattern, how many items there are, and what the device holds at a
/// time. Decides no bits, which the tree does.
struct GroupPlan {
  // A software device runs one SIMD vector of eight invocations through all its trips before the next: groups of eight
  // access memory in order.
  static constexpr int64_t software_group = 8, hardware_group = 256;
  static constexpr int most_unroll = 8;

  ReducePattern pattern{};
  ReduceWindow window;
  int64_t at_once = 1;          ///< ReduceLevel::at_once
  int64_t columns_at_once = 1;  ///< ReduceLevel::columns_at_once
  bool apart = false;           ///< of row_subgroup: lanes load neighbours, and exchange them for vectors
  bool leaves = false;          ///< groups leave results for the last one of their tile
  int unroll = 1;
  bool long_prologue = false;
  bool split = false;  ///< an invocation takes one accumulator of a column tree's block
  int64_t trips = 0;   ///< of column_two_level over a block's accumulators, where all blocks are whole; else 0
  Grid grid{};
  int64_t group_size = 1;
  int64_t slots = 1;          ///< accumulators of a row pattern's group; items of column_spread in shared memory
  int64_t lanes_log2 = 0;     ///< of a row pattern
  int64_t items_at_once = 1;  ///< of column_spread
  int64_t side = 1;           ///< of a pattern with tiles: a group's vectors side by side; of column_split: neighbours
  TilePlan tile_plan{};       ///< of tiles that groups share
  int64_t lanes_singly = 0;   ///< lanes of a column, where an invocation takes one
  int64_t vectors_at_once = 0, rows_at_once = 1;  ///< by subgroups: loads of an invocation before any is combined
  StagedRows staged{};                            ///< of row_staged
  bool of_memory = false;                         ///< rows are read by vectors of memory

  bool is_row() const { return pattern <= ReducePattern::row_single_pass; }
  bool has_tiles() const { return pattern == ReducePattern::column_two_level || has_shared_tiles(pattern); }
  int64_t kept_of_an_item() const;
  int64_t vector_count() const;
  int64_t tiles() const;  ///< of column patterns: in which vectors are counted
  int64_t items() const;
};

/// `load`: of the level's elements, bound.
GroupPlan group_plan(const Target& target, const ReduceLevel& level, const ReduceWindow& window, ReducePattern pattern,
                     const codegen::LoadStage& load);

// Complete a plan of a row tree (row_groups.cpp) or a column tree (column_groups.cpp).
void plan_row_groups(GroupPlan& plan, const Target& target, const ReduceLevel& level, int64_t loads);
void plan_column_groups(GroupPlan& plan, const Target& target, const ReduceLevel& level);

/// The tiles of a level whose groups may share them.
TilePlan tile_plan_of(const Target& target, const ReduceLevel& level);

}  // namespace eglantine::lower
