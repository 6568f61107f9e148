#pragma once

#include "lower/lowering.hpp"
#include "lower/reduce/program/program.hpp"

namespace eglantine::lower {

/// Runs one level, in as few windows as the device's limits allow. Windows are whole blocks of the tree, so they change
/// no result.
class LevelRunner {
 public:
  LevelRunner(Lowering& lowering, const ReduceLevel& level)
      : lowering_(lowering), level_(level), row_(level.tree == layout::ReduceTree::row) {}

  /// Whether one dispatch does the level.
  bool fits_whole() const { return fits({{0, level_.kept}, {0, level_.blocks}}); }

  /// Whether dispatches of as many rows each as can be counted do the level.
  bool fits_in_rows() const;

  void run() {
    // First cuts what is far apart in memory: the kept coordinates of a row tree, the blocks of a column tree.
    row_ ? run_kept({0, level_.blocks}) : run_blocks({0, level_.kept});
  }

 private:
  ReduceProgram program(const ReduceWindow& window) const;
  bool small_enough(const ReduceWindow& window) const;
  bool fits(const ReduceWindow& window) const;
  int64_t least_kept() const;
  int64_t most_kept(const Window& blocks) const;
  int64_t temporary_capacity() const;
  bool run_window(const ReduceWindow& window);
  void run_kept(const Window& blocks);
  void run_blocks(const Window& kept);
  void run_materialized(const ReduceWindow& window);
  [[noreturn]] void throw_too_small() const;

  Lowering& lowering_;
  const ReduceLevel& level_;
  bool row_;
};

}  // namespace eglantine::lower
