#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/network/resampling/resampling.hpp"

namespace eglantine::verbs {

/// On a device, what the axes say of elements (i32) and of weights (f32, of nearest none): one tensor of each for all
/// axes. Those of outlines follow from lengths and options, and are uploaded once.
std::vector<Tensor> tables_of(const std::vector<Taps1d>& axes, const InterpolateOptions& options, const Device& device);

/// The rows of tables_of(). A row begins where vectors do.
class ResamplingTables {
 public:
  ResamplingTables(const std::vector<Taps1d>& axes, std::vector<Tensor> tables);

  bool has_weights() const { return tables_.size() > 1; }
  /// One for each output of `axis`, the k-th of the axes. What follows from a row that is read anyway is computed:
  /// reading takes longer, also from a cache (bilinear x2: on an H200 224 and 216 us).
  Tensor indices(size_t k, const Taps1d& axis, int64_t tap) const;
  Tensor weights(size_t k, const Taps1d& axis, int64_t tap) const;
  /// The first of each output's elements, which may lie before the axis, and the last.
  Tensor firsts(size_t k, const Taps1d& axis) const;
  Tensor lasts(size_t k, const Taps1d& axis) const;

 private:
  std::vector<int64_t> places_, weights_;  ///< where the axes' rows begin
  std::vector<Tensor> tables_;
};

}  // namespace eglantine::verbs
