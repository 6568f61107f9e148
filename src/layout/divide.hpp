#pragma once

#include <cstdint>

namespace eglantine {

/// a / b, rounded up; for a >= 0 and b > 0.
constexpr int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// The smallest multiple of `to` that is at least a; for a >= 0 and to > 0.
constexpr int64_t round_up(int64_t a, int64_t to) { return ceil_divide(a, to) * to; }

/// The largest divisor of n that is at most `most`; for n > 0 and most > 0. After some sqrt(n) divisions: large ones
/// are found by the small numbers that they leave.
constexpr int64_t largest_divisor(int64_t n, int64_t most) {
  int64_t rest = ceil_divide(n, most);
  for (; rest * rest <= n; ++rest)
    if (n % rest == 0) return n / rest;
  int64_t divisor = rest > most ? most : rest - 1;
  while (n % divisor != 0) --divisor;
  return divisor;
}

}  // namespace eglantine
