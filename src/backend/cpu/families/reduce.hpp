#pragma once

#include <vector>

#include "backend/cpu/families/families.hpp"
#include "layout/reduce_tree.hpp"

/// The two reduction trees of layout/reduce_tree.hpp over blocks of values.
namespace eglantine::cpu {

struct ReduceSizes {
  int64_t kept;     ///< kept coordinates
  int64_t reduced;  ///< elements combined for each
};
ReduceSizes sizes_of(const ReduceKernel& kernel);

/// The prologue, reduced axes first: consecutive elements are kept ones, which the column tree reduces side by side.
Expr reduced_first(const Expr& prologue, int kept_rank);

/// Reduces in memory's order where elements of one result are neighbours a few at a time, between those of others, and
/// no order changes a bit. False, and nothing done, elsewhere.
bool reduce_short_runs(const ReduceKernel& kernel, ThreadPool& pool);

/// One block of the row tree: an accumulator of four components for each lane.
class RowBlock {
 public:
  explicit RowBlock(const ReductionBlocks& blocks) : blocks_(blocks), accumulators_(width) {}

  void add(const Word* values, int64_t count);  ///< adds the next `count` elements of the block
  Word finish();                                ///< the block's value; the next add() starts a new block

 private:
  static constexpr int64_t width = layout::row_lanes * 4;
  const ReductionBlocks& blocks_;
  Words accumulators_;
  int64_t added_ = 0;
};

Word reduce_run(std::vector<Word>& run, RowBlock& block);  ///< the row tree over stored values; overwrites them

/// The column tree over rows of `width` values, added in order: a block of rows gives a row of the next level.
class ColumnTree {
 public:
  ColumnTree(const ReductionBlocks& blocks, int64_t width) : blocks_(blocks), width_(width) {}

  void add(const Word* rows, int64_t count) { add(0, rows, count); }  ///< adds consecutive rows
  /// The value of each column, valid until the next call; the next add() starts a new reduction. Some row was added.
  const Word* finish();

 private:
  struct TreeLevel {
    Words accumulators;
    int64_t rows;  ///< in the current block
  };
  void add(size_t level, const Word* rows, int64_t count);
  const Word* fold(TreeLevel& level) const;

  const ReductionBlocks& blocks_;
  int64_t width_;
  std::vector<TreeLevel> levels_;
};

}  // namespace eglantine::cpu
