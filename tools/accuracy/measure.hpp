#pragma once

#include <cmath>
#include <limits>

#include "accuracy/operation.hpp"
#include "eglantine/device.hpp"

namespace eglantine::accuracy {

/// One argument (or pair), what the device made of it, and the reference's result.
struct Sample {
  float x = 0, y = 0, got = 0;
  double want = 0;
};

inline bool is_denormal(float x) { return x != 0 && std::abs(x) < std::numeric_limits<float>::min(); }

/// How often something happened, and the first time.
struct Cases {
  int64_t count = 0;
  Sample first;

  void add(const Sample& sample) {
    if (count++ == 0) first = sample;
  }
};

/// What a device does on the arguments of for_each_batch().
///
/// Errors are counted in floats between the result and the correctly rounded one. A denormal operand or result may
/// count as zero, of its sign; then the error is against what follows from the zero.
struct Measured {
  const Operation* operation = nullptr;
  int64_t arguments = 0;
  int64_t ulp = 0;  ///< the largest error where one in ULP is promised
  Sample ulp_at;
  double absolute = 0;  ///< the largest error beyond `ulp` where an absolute one is promised
  Sample absolute_at;
  Cases broken;      ///< beyond what is promised, the next two included
  Cases nans;        ///< a NaN that should be none, or none that should be one; anywhere
  Cases infinities;  ///< an infinity that should be none, or none (or another) that should be one; anywhere
  Cases signs;       ///< a zero of another sign than the reference's; nothing is promised
  Cases kept;        ///< denormal operands and results that count
  Cases flushed;     ///< those that count as zero

  bool holds() const { return broken.count == 0; }
};

Measured measure(const Operation& operation, const Device& device, uint32_t stride);

}  // namespace eglantine::accuracy
