#pragma once

#include "support/array.hpp"

namespace eglantine::test {

/// Reproducible pseudo-random numbers: splitmix64 (Steele, Lea and Flood 2014), the same with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed);
  uint64_t word();
  int64_t integer(int64_t low, int64_t high);  ///< low <= result <= high
  double real(double low, double high);

 private:
  uint64_t state_;
};

/// Small numbers of either sign: f32 in [-2, 2) with full mantissas, i32 in [-100, 100], u32 in [0, 200], booleans.
Array random_array(DType dtype, const Dims& shape, uint64_t seed = 1);

/// f32 in [low, high).
Array random_reals(const Dims& shape, double low, double high, uint64_t seed = 1);

/// Integers of all 32 bits, which wrap in most arithmetic.
Array random_bits(DType dtype, const Dims& shape, uint64_t seed = 1);

}  // namespace eglantine::test
