#pragma once

#include <vector>

#include "eglantine/tensor.hpp"

/// Windows of unequal lengths, of few elements each, combined one after the other where they lie: one map. A reduction
/// over all of them, the shorter ones filled up, takes twice to ten times as long.
namespace eglantine::verbs {

/// `outputs` windows that cover an axis, as adaptive pools have them.
struct UnequalWindows {
  int axis = 0;  ///< of the tensor
  int64_t length = 0, outputs = 0;
  int64_t shortest = 1, longest = 1;  ///< elements

  int64_t first(int64_t i) const { return i * length / outputs; }
  int64_t last(int64_t i) const { return ((i + 1) * length - 1) / outputs; }
};

/// Whether windows along these axes have few elements, and a kernel can read x at any of them. Not where a derivative
/// is taken by x: each element's would be a sum by itself.
bool can_combine(const Tensor& x, const std::vector<UnequalWindows>& axes);
/// The means of x's elements in them, as f32, added in row-major order, or the largest elements.
Tensor means_of(const Tensor& x, const std::vector<UnequalWindows>& axes);
Tensor largest_of(const Tensor& x, const std::vector<UnequalWindows>& axes);

}  // namespace eglantine::verbs
