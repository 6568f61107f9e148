#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/network/resampling/resampling.hpp"

namespace eglantine::verbs {

/// On a device, what the axes say of indices (i32) and of weights (f32, of nearest none): one tensor of each for all
/// axes. Those of outlines follow from lengths and options, and are uploaded once.
std::vector<Tensor> tables_of(const std::vector<Taps1d>& axes, const InterpolateOptions& options, const Device& device);

/// The rows of tables_of(). A row begins where vectors do.
class ResamplingTables {
 public:
  ResamplingTables(const std::vector<Taps1d>& axes, std::vector<Tensor> tables);

  bool has_weights() const { return tables_.size() > 1; }
  /// One for each output of `axis`, the k-th of the axes.
  Tensor indices(size_t k, const Taps1d& axis, int64_t tap) const { return row(tables_[0], k, axis, tap); }
  Tensor weights(size_t k, const Taps1d& axis, int64_t tap) const { return row(tables_[1], k, axis, tap); }

 private:
  Tensor row(const Tensor& all, size_t k, const Taps1d& axis, int64_t tap) const;

  std::vector<int64_t> starts_;
  std::vector<Tensor> tables_;
};

}  // namespace eglantine::verbs
