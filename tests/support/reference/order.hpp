#pragma once

#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {

/// Checks sort and argsort of a tensor that holds x: the order, and the permutation.
inline void expect_order(const Tensor& tensor, const Array& x, int64_t axis = -1, bool descending = false) {
  const naive::Sorted expected = naive::sort(x, axis, descending);
  EXPECT_TRUE(matches(sort(tensor, static_cast<int>(axis), descending), expected.keys, bitwise));
  EXPECT_TRUE(matches(argsort(tensor, static_cast<int>(axis), descending), expected.places));
}

inline void expect_order_both_ways(const Array& x, int64_t axis = -1) {
  for (bool descending : {false, true}) {
    SCOPED_TRACE(std::string(name_of(x.dtype)) + " " + text(x.shape) + (descending ? " descending" : ""));
    expect_order(upload(x), x, axis, descending);
  }
}

/// Random keys of all 32 bits (booleans: one bit), about every eighth of which is a repeat.
inline Array keys_with_ties(DType dtype, const Dims& shape, uint64_t seed = 1) {
  Array x = dtype == DType::f32       ? random_reals(shape, -1e6, 1e6, seed)
            : dtype == DType::boolean ? random_array(dtype, shape, seed)
                                      : random_bits(dtype, shape, seed);
  Random random(seed + 1);
  for (int64_t i = 0; i < x.size(); i += 8)
    x.values[static_cast<size_t>(i)] = x.values[static_cast<size_t>(random.integer(0, x.size() - 1))];
  return x;
}

/// x with 0 for the numbers that a driver may flush.
inline Array without_denormals(Array x) {
  for (double& value : x.values)
    if (std::abs(value) < std::numeric_limits<float>::min()) value = std::copysign(0.0, value);
  return x;
}

/// Repeated floats whose order differs from that of their bits: NaN, infinities, zeros of both signs, denormals.
inline Array special_keys(const Dims& shape, uint64_t seed = 1) {
  using Limits = std::numeric_limits<float>;
  const std::vector<double> values{Limits::quiet_NaN(),
                                   Limits::infinity(),
                                   -Limits::infinity(),
                                   0.0,
                                   -0.0,
                                   Limits::denorm_min(),
                                   -Limits::denorm_min(),
                                   Limits::min(),
                                   -Limits::min(),
                                   Limits::max(),
                                   Limits::lowest(),
                                   1.0,
                                   -1.0,
                                   3 * Limits::denorm_min()};
  Random random(seed);
  return generate(DType::f32, shape, [&](const Dims&) {
    return values[static_cast<size_t>(random.integer(0, static_cast<int64_t>(values.size()) - 1))];
  });
}

}  // namespace eglantine::test
