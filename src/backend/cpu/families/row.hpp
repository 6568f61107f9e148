#pragma once

#include <algorithm>
#include <optional>

#include "backend/cpu/families/families.hpp"
#include "layout/divide.hpp"

namespace eglantine::cpu {

/// A row kernel cut into lines of `width` rows: one contiguous row, or a block of adjacent strided or short ones, by
/// steps.
struct RowTask {
  explicit RowTask(const RowKernel& kernel);

  RowOp op;
  float parameter;
  int64_t rows, length;
  bool strided;
  int64_t width;  ///< rows of a line
  EvaluatorProgram prologue, epilogue;
  Elements out;
  std::optional<Elements> mean;  ///< the second output
  ReductionBlocks sum = reduction_blocks(Reduction::sum, DType::f32);
  ReductionBlocks max = reduction_blocks(Reduction::max, DType::f32);
  ElementwiseBlock exp = elementwise_block(Op::exp, DType::f32);

  int64_t lines() const { return ceil_divide(rows, width); }
  int64_t width_of(int64_t line) const { return std::min(width, rows - line * width); }

 private:
  RowTask(const RowKernel& kernel, bool strided_rows);
};

}  // namespace eglantine::cpu
