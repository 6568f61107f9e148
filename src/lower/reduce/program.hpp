#pragma once

#include <memory>
#include <optional>

#include "codegen/stage.hpp"
#include "lower/lowering.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/reduce/schedule.hpp"
#include "lower/reduce/staged.hpp"
#include "lower/reduce/tiles.hpp"

namespace eglantine::lower {

/// One dispatch: kept coordinates by their linear index (from a multiple of four in a column tree and of row_staged),
/// and blocks of the tree.
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
  void plan_subgroups(const Target& target, int64_t length);
  void add_uniforms(const ReduceLevel& level);
  std::string holes() const;
  std::string defines() const;
  std::string element_functions() const;
  std::string line_function() const;
  std::string apart_function() const;
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
  bool apart_;  ///< of row_subgroup: lanes load neighbours, and exchange them for vectors
  std::optional<codegen::LoadStage> indices_;
  std::optional<codegen::LoadStage> epilogue_;
  std::optional<codegen::StoreStage> store_;
  int partials_binding_ = -1;
  int partials_base_slot_ = -1;
  int partials_pitch_slot_ = -1;
  int left_binding_ = -1, counters_binding_ = -1;
  int64_t group_size_ = 1;
  int64_t slots_ = 1;          ///< accumulators of a row pattern's group; items of column_spread in shared memory
  int64_t lanes_log2_ = 0;     ///< of a row pattern
  int64_t items_at_once_ = 1;  ///< of column_spread
  TilePlan tile_plan_;         ///< of tiles that groups share
  int64_t lanes_singly_ = 0;   ///< lanes of a column, where an invocation takes one
  int length_slot_ = -1;       ///< of that column's rows
  int64_t vectors_at_once_ = 0, rows_at_once_ = 1;  ///< of row_subgroup: loads of an invocation before any is combined
  int64_t side_ = 1;   ///< of a pattern with tiles: a group's vectors side by side; of column_split: neighbours
  StagedRows staged_;  ///< of row_staged
  Grid grid_;
  int unroll_ = 1;
  int64_t trips_ = 0;  ///< of column_two_level over a block's accumulators, where all blocks are whole; else 0
  bool long_prologue_ = false;
  bool split_ = false;  ///< an invocation takes one accumulator of a column tree's block
};

}  // namespace eglantine::lower
