#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// How a level of a reduction accesses memory. Columns that are computed at once (together.hpp) are the vector of a
/// column pattern, instead of four.
enum class ReducePattern {
  row,                  ///< row tree: a group's lanes run along the reduced elements and combine in shared memory
  row_short,            ///< row tree, many rows of a few lanes: an invocation combines the lanes of a row
  row_serial,           ///< row tree, rows of one trip on software devices: an invocation takes all lanes of a row
  row_serial_together,  ///< row tree, software devices: an invocation takes neighbouring rows that make the same
                        ///< numbers
  row_together,         ///< row tree, neighbouring rows that read much in common: a lane takes several of them at once
  row_two_level,        ///< row tree, rows of a few blocks, two levels fused: a group also combines its row's blocks
  row_single_pass,      ///< row tree, one long row: the last group to finish also runs the levels that follow
  column,               ///< column tree: an invocation takes four columns of a block, with all accumulators at once
  column_serial,        ///< the same, one accumulator after the other: for long prologues
  column_split,         ///< the same, few columns: an invocation takes one accumulator; they combine in shared memory
  column_two_level,     ///< any of these, two levels fused: a group also combines its blocks
  column_spread,     ///< column tree, software devices: a group takes many items, one accumulator after the other, in
                     ///< shared memory
  column_any_order,  ///< column tree of what no order changes, many rows: tiles of columns, whole
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
  int together = 0;        ///< the last kept axes that number rows, or columns, taken at once
  int64_t kept = 1, length = 1, blocks = 1;
  int64_t first_block = 0;  ///< the block from which elements are numbered
  Expr epilogue;            ///< of the last level
  Strided out;              ///< of the last level
  BufferPtr partials;       ///< of other levels: (kept, blocks) in a row tree, (blocks, kept) in a column tree; of a
                            ///< single-pass level the words that its groups share (Lowering::exchange); with
                            ///< any_order what groups leave for the last one of a tile
  BufferPtr counters;       ///< with any_order, of tiles; null where a tile is one group's

  bool is_last() const { return single_pass || blocks == 1; }
  /// Elements of a block.
  int64_t block() const;
  /// Rows, or columns, that are computed at once; 1 without `together`.
  int64_t at_once() const;
  /// Columns that an invocation takes.
  int64_t columns_at_once() const;
};

/// Whether fusing two levels pays: rows of a few blocks, or columns enough to fill the device when a group takes all
/// blocks of one of the second level.
bool worth_fusing_levels(const Target& target, const ReduceLevel& level);

/// Whether a single pass pays: one long row, which all groups share.
bool worth_single_pass(const Target& target, const ReduceLevel& level);

/// One dispatch: kept coordinates by their linear index (from a multiple of four in a column tree), and blocks of the
/// tree.
struct ReduceWindow {
  Window kept, blocks;
};

/// The program of a level over a window, with its bindings and uniforms.
class ReduceProgram : public BoundProgram {
 public:
  ReduceProgram(const Target& target, const ReduceLevel& level, const ReduceWindow& window, bool vectors);

  Dispatch dispatch() const;

 private:
  bool is_row() const { return pattern_ <= ReducePattern::row_single_pass; }
  DType dtype() const { return load_.dtype(); }
  bool has_tiles() const;
  int64_t tiles() const;  ///< of column patterns: in which vectors are counted
  int64_t items() const;
  int64_t vector_count() const;
  void plan_grid(const Target& target, const ReduceLevel& level);
  void add_uniforms(const ReduceLevel& level);
  std::string holes() const;
  std::string defines() const;
  std::string element_functions() const;
  std::string exchange_functions() const;
  std::string partial_finish() const;
  void bind_shared_tiles(const ReduceLevel& level, int64_t words);
  std::string epilogue_finish() const;
  std::string column_text(int64_t j) const;  ///< of eg_finish: the number of the vector's column j

  Reduction reduction_;
  ReduceOpPtr custom_;
  ReducePattern pattern_;
  ReduceWindow window_;
  int64_t at_once_;          ///< ReduceLevel::at_once
  int64_t columns_at_once_;  ///< ReduceLevel::columns_at_once
  std::vector<Window> read_, written_;
  codegen::LoadStage load_;
  std::optional<codegen::LoadStage> indices_;
  std::optional<codegen::LoadStage> epilogue_;
  std::optional<codegen::StoreStage> store_;
  int partials_binding_ = -1;
  int partials_base_slot_ = -1;
  int partials_pitch_slot_ = -1;
  int counters_binding_ = -1;
  int64_t group_size_ = 1;
  int64_t slots_ = 1;          ///< accumulators of a row pattern's group; items of column_spread in shared memory
  int64_t lanes_log2_ = 0;     ///< of a row pattern
  int64_t items_at_once_ = 1;  ///< of column_spread
  int64_t side_ = 1;           ///< of a pattern with tiles: a group's vectors side by side; of column_split: neighbours
  Grid grid_;
  int unroll_ = 1;
  int64_t trips_ = 0;  ///< of column_two_level over a block's accumulators, where all blocks are whole; else 0
  bool long_prologue_ = false;
  bool split_ = false;  ///< an invocation takes one accumulator of a column tree's block
};

}  // namespace eglantine::lower
