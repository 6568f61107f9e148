#pragma once

#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

/// What the tests of statistics share.
namespace eglantine::test {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double eps = 0x1p-23;

using Elements = std::vector<double>;
using AxesLists = std::vector<std::vector<int64_t>>;

/// The number of kernels that compute x.
inline int64_t kernels_of(const Tensor& x) {
  const int64_t before = statistics(x.device()).kernels;
  x.eval();
  return statistics(x.device()).kernels - before;
}

/// x with every `step`-th element replaced.
inline Array with_every(Array x, size_t step, double value) {
  for (size_t i = 0; i < x.values.size(); i += step) x.values[i] = value;
  return x;
}

inline Elements without_nan(const Elements& x) {
  Elements kept;
  for (double v : x)
    if (!std::isnan(v)) kept.push_back(v);
  return kept;
}

}  // namespace eglantine::test
