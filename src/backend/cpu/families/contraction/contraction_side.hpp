#pragma once

#include <optional>
#include <vector>

#include "backend/cpu/families/families.hpp"

namespace eglantine::cpu {

/// One side of a contraction: rows or columns, its lines, times what is summed over.
class ContractionSide {
 public:
  /// kept: axes of the batches and lines; of_batch: lines of each; as_read: tiles are multiplied in the order in which
  /// they are read.
  ContractionSide(const Expr& expr, int kept, int64_t of_batch, int64_t summed, bool as_read);

  /// Finds where all of it lies in memory, or evaluates a small one that several tiles of the other side read.
  void prepare(int64_t readers, ThreadPool& pool);

  bool lines_last() const { return lines_last_; }
  int64_t lines() const { return lines_; }
  int64_t tiles() const { return tiles_; }
  int64_t tile() const { return tile_; }  ///< lines of the longest
  /// Whether so many of the other side's lines are multiplied by this side's where they lie in memory, run by run, in
  /// less time than a copy of them takes: of few of the former, and long runs.
  bool is_read_in_place(int64_t others) const;
  /// Where tile `number` of a batch begins: all have as many whole vectors of lines, or one more.
  int64_t first(int64_t number) const;

 private:
  friend class SideTile;
  /// Words in memory as they are: the address of a line and that of a step add up.
  struct Plain {
    const Word* data;
    int64_t count;  ///< elements of that memory
    Layout steps, lines;
  };
  void evaluate(Evaluator& evaluator, int64_t start, int64_t count, Word* to) const;

  bool lines_last_;
  EvaluatorProgram program_;
  std::optional<Plain> plain_;
  int64_t lines_, length_, all_lines_, tiles_, tile_;
  Words values_{0};
  std::optional<Matrix> whole_;  ///< all lines times what is summed over
};

/// A thread's tile of a side.
class SideTile {
 public:
  /// steps: of what is summed over, at most.
  SideTile(const ContractionSide& side, int64_t steps);

  /// Lines [first, first + lines) of a batch, and of them k to k + steps, as a matrix of (lines, steps). Where lines
  /// lie side by side, each step has product_columns(lines) of them to be read.
  Matrix read(int64_t batch, int64_t first, int64_t lines, int64_t k, int64_t steps);

  /// Some neighbouring lines, from the tile's line `position` on, and their first element.
  struct Run {
    int64_t position, length, address;
    const Word* data = nullptr;
  };
  /// The same lines where they lie, as runs of neighbours in memory. Empty where vectors of theirs would pass its end.
  const std::vector<Run>& runs(int64_t batch, int64_t first, int64_t lines, int64_t k, int64_t steps);
  /// From a run's first element to its steps, after runs(); else of rows so far apart.
  const int64_t* step_offsets() const { return offsets_.data(); }
  const int64_t* step_offsets(int64_t stride, int64_t steps);

 private:
  void find_runs(int64_t line, int64_t lines);
  /// read() of a plain side: runs of neighbouring lines, whose addresses are the same for each step.
  void copy(int64_t line, int64_t lines, int64_t k, int64_t steps);

  const ContractionSide& side_;
  Evaluator evaluator_;
  Words values_;
  std::vector<Run> runs_;
  std::vector<int64_t> offsets_;
};

}  // namespace eglantine::cpu
