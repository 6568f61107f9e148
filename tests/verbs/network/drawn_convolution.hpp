#pragma once

#include "eglantine/verbs/convolution.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive_convolution.hpp"

/// Convolutions of random shapes and options.
namespace eglantine::test {

inline naive::ConvRule rule_of(size_t axes, int64_t stride, int64_t pad, int64_t dilation = 1, int64_t groups = 1) {
  return {Dims(axes, stride), Dims(axes, dilation), std::vector(axes, std::pair(pad, pad)), groups};
}

inline ConvOptions options_of(const naive::ConvRule& rule) {
  return {.stride = rule.stride, .padding = rule.pads, .dilation = rule.dilation, .groups = rule.groups};
}

struct DrawnConvolution {
  Array x, w, bias;
  naive::ConvRule rule;
};

/// The elements times an odd number: products of two of them have more bits than a double.
inline Array of_many_bits(Array x) {
  for (double& value : x.values) value = naive::product(x.dtype, value, 715827883);
  return x;
}

/// Of 1 to 3 spatial axes, along each of which the kernel has a place.
inline DrawnConvolution drawn_convolution(uint64_t seed, DType dtype = DType::f32) {
  for (Random random(seed);;) {
    const auto axes = static_cast<size_t>(1 + seed % 3);
    const int64_t groups = random.integer(1, 3), channels = random.integer(1, 3), each = random.integer(1, 5);
    Dims x{random.integer(1, 3), groups * channels}, w{groups * each, channels};
    naive::ConvRule rule{{}, {}, {}, groups};
    bool any = true;
    for (size_t k = 0; k < axes; ++k) {
      x.push_back(random.integer(1, axes == 3 ? 6 : 12));
      w.push_back(random.integer(1, 4));
      rule.stride.push_back(random.integer(1, 3));
      rule.dilation.push_back(random.integer(1, 2));
      rule.pads.emplace_back(random.integer(0, 3), random.integer(0, 3));
      any = any && naive::places_along(rule, k, x.back(), w.back()) > 0;
    }
    if (any)
      return {random_array(dtype, x, seed), random_array(dtype, w, seed + 1), random_array(dtype, {w[0]}, seed + 2),
              rule};
  }
}

/// Of 2 to 4 groups of several channels and results, up to 32, of 1 to 3 spatial axes.
inline DrawnConvolution drawn_groups(uint64_t seed) {
  Random random(seed);
  const auto axes = static_cast<size_t>(1 + seed % 3);
  const int64_t most = axes == 3 ? 6 : random.integer(0, 2) == 0 ? 32 : 9;
  const int64_t groups = random.integer(2, 4), channels = random.integer(2, most), each = random.integer(1, most);
  Dims x{random.integer(1, 3), groups * channels}, w{groups * each, channels};
  naive::ConvRule rule{{}, {}, {}, groups};
  for (size_t k = 0; k < axes; ++k) {
    x.push_back(random.integer(axes == 1 ? 90 : 7, axes == 1 ? 300 : axes == 2 ? 19 : 8));
    w.push_back(random.integer(1, 3));
    rule.stride.push_back(random.integer(0, 2) == 0 ? 2 : 1);
    rule.dilation.push_back(random.integer(1, 2));
    rule.pads.emplace_back(random.integer(0, 2), random.integer(0, 2));
  }
  return {random_array(DType::f32, x, seed), random_array(DType::f32, w, seed + 1),
          random_array(DType::f32, {w[0]}, seed + 2), rule};
}

}  // namespace eglantine::test
