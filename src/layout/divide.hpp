#pragma once

#include <cstdint>

namespace eglantine {

/// a / b, rounded up; for a >= 0 and b > 0.
constexpr int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// The smallest multiple of `to` that is at least a; for a >= 0 and to > 0.
constexpr int64_t round_up(int64_t a, int64_t to) { return ceil_divide(a, to) * to; }

}  // namespace eglantine
