#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "backend/cpu/families/families.hpp"
#include "graph/row/chain.hpp"
#include "layout/divide.hpp"

namespace eglantine::cpu {

/// A row kernel cut into lines of `width` rows: contiguous ones, one after the other; or a block of adjacent strided or
/// very short ones, by steps.
struct RowTask {
  explicit RowTask(const RowKernel& kernel);
  RowTask(const RowTask&) = delete;
  RowTask& operator=(const RowTask&) = delete;

  /// A step of the chain, prepared.
  struct Step {
    RowStep::What what;
    bool of_row;
    int value;
    EvaluatorProgram program;
    int accumulator;                         ///< where its expression is an earlier value alone; else -1
    std::optional<ReductionBlocks> combine;  ///< of a fold
    std::optional<Elements> out;             ///< of a store
  };

  int64_t rows, length;
  bool strided;
  int64_t width;  ///< rows of a line
  std::vector<RowChain::Value> values;
  std::vector<bool> reach_elements;  ///< by value: of a row, and read for its elements
  std::vector<Step> steps;
  FirstOutside outside;  ///< of the index that it gathers with

  int64_t lines() const { return ceil_divide(rows, width); }
  int64_t width_of(int64_t line) const { return std::min(width, rows - line * width); }

 private:
  RowTask(const RowKernel& kernel, bool strided_rows);
};

}  // namespace eglantine::cpu
