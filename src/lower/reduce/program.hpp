#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

/// How a level of a reduction walks memory.
enum class ReducePattern {
  row,              ///< row tree: a group's lanes run along the reduced elements; shared memory folds them
  row_serial,       ///< row tree, rows shorter than a trip on software devices: an invocation plays every lane of a row
  row_two_level,    ///< row tree, rows of a few blocks: a group takes a row, and combines its blocks too
  row_single_pass,  ///< row tree, one long row: the last group to end combines what all left, by the levels that follow
  column,           ///< column tree: an invocation takes four columns of a block, its accumulators side by side
  column_serial,    ///< the same, one accumulator after the other: for long prologues
  column_split,     ///< the same, few columns: an invocation takes one accumulator, shared memory brings them together
  column_two_level,  ///< any of these, a group going on to what the next level would do with its blocks
  column_spread,  ///< column tree, software devices: a group takes many items one accumulator after the other, kept in
                  ///< shared memory
};

/// One level of a reduction: blocks of `length` values for each of `kept` coordinates become one value each. The last
/// level has one block and stores through the epilogue; the others store partial results, which the next one reads. A
/// folded level is two of the tree's in one dispatch: its blocks are those of the second. A joined level is all that
/// are left: its blocks are those of the first, and it stores through the epilogue.
struct ReduceLevel {
  Expr prologue;
  std::optional<Expr> indices;  ///< argmax and argmin from the second level on: the indices that came with the values
  int kept_rank = 0;
  Reduction reduction;
  ReduceOpPtr custom;  ///< of Reduction::custom
  layout::ReduceTree tree;
  bool two_level = false, single_pass = false;
  int64_t kept = 1, length = 1, blocks = 1;
  int64_t first_block = 0;  ///< of the level, where elements are numbered from a later one
  Expr epilogue;            ///< of the last level
  Strided out;              ///< of the last level
  BufferPtr partials;  ///< of the others: (kept, blocks) in a row tree, (blocks, kept) in a column tree; of a joined
                       ///< level what its groups share (Lowering::exchange)

  bool is_last() const { return single_pass || blocks == 1; }
  /// Elements of a block.
  int64_t block() const;
};

/// Whether a level is better folded: its rows are few blocks, or the device has work enough when a group takes all
/// blocks of a block of a column tree.
bool worth_fusing_levels(const Target& target, const ReduceLevel& level);

/// Whether a level is better joined: one long row, which all groups work at.
bool worth_single_pass(const Target& target, const ReduceLevel& level);

/// What one dispatch covers: kept coordinates by their row-major number (from a multiple of four in a column tree), and
/// blocks of the tree.
struct ReduceWindow {
  codegen::Window kept, blocks;
};

/// The program of a level, and the numbers one dispatch over a window gives it.
class ReduceProgram {
 public:
  ReduceProgram(const Target& target, const ReduceLevel& level, const ReduceWindow& window, bool vectors = true);

  /// Whether one range covers what each operand and result reaches in the window.
  bool fits() const { return bindings_.fits(); }
  int bindings() const { return bindings_.size(); }
  Dispatch dispatch() const;

 private:
  bool is_row() const { return pattern_ <= ReducePattern::row_single_pass; }
  DType dtype() const { return load_.dtype(); }
  int64_t items() const;
  int64_t vector_count() const;
  void plan_grid(const Target& target, const ReduceLevel& level);
  void add_uniforms(const ReduceLevel& level);
  std::string holes() const;
  std::string defines() const;
  std::string element_functions() const;
  std::string exchange_functions() const;
  std::string partial_finish() const;
  std::string epilogue_finish() const;

  Reduction reduction_;
  ReduceOpPtr custom_;
  ReducePattern pattern_;
  ReduceWindow window_;
  std::vector<codegen::Window> read_, written_;
  codegen::LoadStage load_;
  std::optional<codegen::LoadStage> indices_;
  std::optional<codegen::LoadStage> epilogue_;
  std::optional<codegen::StoreStage> store_;
  int partials_binding_ = -1;
  int partials_base_slot_ = -1;
  int partials_pitch_slot_ = -1;
  codegen::Bindings bindings_;
  codegen::Uniforms uniforms_;
  int64_t group_size_ = 1;
  int64_t slots_ = 1;              ///< accumulators of a row pattern's group; items that column_spread has room for
  int64_t lanes_log2_ = 0;         ///< of a row pattern
  int64_t items_at_once_ = 1;      ///< of column_spread
  int64_t two_level_vectors_ = 1;  ///< of column_two_level: vectors that a group takes side by side
  Grid grid_;
  int unroll_ = 1;
  int64_t trips_ = 0;  ///< of a column_two_level block over its accumulators, where all blocks are whole
  bool long_prologue_ = false;
};

}  // namespace eglantine::lower
