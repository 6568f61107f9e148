#pragma once

#include <vector>

#include "backend/cpu/families/families.hpp"
#include "layout/reduce_tree.hpp"

/// The two trees of layout/reduce_tree.hpp over blocks of values.
namespace eglantine::cpu {

/// A reduction's parts as both trees need them.
struct ReduceSizes {
  int64_t kept;     ///< kept coordinates
  int64_t reduced;  ///< elements combined for each
};
ReduceSizes sizes_of(const ReduceKernel& kernel);

/// A prologue whose domain has been put in another order of axes: `reduced` ones first, then the kept ones, so that a
/// run of it goes along kept elements, which the column tree works side by side.
Expr reduced_first(const ReduceKernel& kernel);

/// One block of the row tree: the accumulators of every lane, four components each.
class RowBlock {
 public:
  explicit RowBlock(const ReductionBlocks& blocks) : blocks_(blocks), accumulators_(width) {}

  /// Adds `count` elements, the next ones of the block.
  void add(const Word* values, int64_t count);
  /// The block's value; the next add() starts a new block.
  Word finish();

 private:
  static constexpr int64_t width = layout::row_lanes * 4;
  const ReductionBlocks& blocks_;
  Words accumulators_;
  int64_t added_ = 0;
};

/// The row tree over a stored run of values, which it uses as its scratch.
Word reduce_run(std::vector<Word>& run, RowBlock& block);

/// The column tree over rows of `width` values, added in order: blocks of rows, then their values as new rows.
class ColumnTree {
 public:
  ColumnTree(const ReductionBlocks& blocks, int64_t width) : blocks_(blocks), width_(width) {}

  /// Adds rows that lie one after another.
  void add(const Word* rows, int64_t count) { add(0, rows, count); }
  /// The value of each column, good until the next call; the next add() starts anew. Some row has been added.
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
