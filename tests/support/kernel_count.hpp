#pragma once

#include <cstdint>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/devices.hpp"

namespace eglantine::test {

/// The number of kernels that run when these are computed together.
inline int64_t kernels_of(const std::vector<Tensor>& results) {
  const int64_t before = statistics(results.front().device()).kernels;
  eval(results);
  return statistics(results.front().device()).kernels - before;
}

inline int64_t kernels_of(const Tensor& x) { return kernels_of(std::vector<Tensor>{x}); }

}  // namespace eglantine::test
