#pragma once

#include "eglantine/tensor.hpp"

namespace eglantine::verbs {

/// Sums of products over groups of axes. a's axes are `batch` batches, `rows` rows, then those that are summed over;
/// b's the same batches, `columns` columns, then the same summed ones. The result has the batches, rows and columns,
/// one after the other, in `order`: axis i is number order[i] of them. Views and padded tensors are read in place. Both
/// are f32, i32 or u32, of one dtype; no axis that is summed over is empty.
Tensor contraction(const Tensor& a, const Tensor& b, int batch, int rows, int columns, const Axes& order);

}  // namespace eglantine::verbs
