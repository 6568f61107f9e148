#pragma once

#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_statistics.hpp"
#include "support/reference/special_values.hpp"

/// What the tests of statistics share.
namespace eglantine::test {

inline constexpr double eps = 0x1p-23;

using Elements = std::vector<double>;
using AxesLists = std::vector<std::vector<int64_t>>;

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
