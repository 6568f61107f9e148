#pragma once

#include "accuracy/measure.hpp"

namespace eglantine::accuracy {

/// The distance of neighbouring f16 or bf16 around x: 2^(e - 10) or 2^(e - 7), e the exponent of x, but no less than
/// 2^-24 or 2^-133.
double narrow_ulp(DType dtype, double x);

/// What a device makes of arguments of f16 or bf16. Errors are against the exact result in units of narrow_ulp() of
/// that, so 0.5 is the correctly rounded result; an infinity counts as the power of two behind the largest number. A
/// denormal bf16 may count as zero, of its sign.
struct NarrowMeasured {
  const Operation* operation = nullptr;
  DType dtype = DType::f16;
  int64_t arguments = 0;
  double ulp = 0;  ///< the largest error where one in ULP is promised
  Sample ulp_at;
  Cases broken;  ///< beyond narrow_promise, and beyond 0.5 and the absolute error where that is promised; wrong NaNs

  bool holds() const { return broken.count == 0; }
};

/// What is promised of every operation whose error in f32 is at most 8 ULP.
inline constexpr double narrow_promise = 0.51;

/// One argument: all 65,536 values. Two: every 509th bit pattern with every 521st, and 2^32 / stride pairs drawn from a
/// fixed seed, half of them of like magnitude.
NarrowMeasured measure_narrow(const Operation& operation, DType dtype, const Device& device, uint32_t stride);

}  // namespace eglantine::accuracy
