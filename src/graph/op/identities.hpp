#pragma once

#include <limits>
#include <type_traits>

/// The values that change nothing when they are combined: what the identity column of ops.def names.
namespace eglantine::identities {

/// Of addition: -0.0 for floats, since 0.0 would change the sign of a sum of -0.0 alone.
template <class T>
constexpr T negative_zero() {
  if constexpr (std::is_floating_point_v<T>)
    return -T{0};
  else
    return T{0};
}

/// Of the larger of two.
template <class T>
constexpr T lowest() {
  using limits = std::numeric_limits<T>;
  return limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest();
}

/// Of the smaller of two.
template <class T>
constexpr T highest() {
  using limits = std::numeric_limits<T>;
  return limits::has_infinity ? limits::infinity() : limits::max();
}

/// Of the larger, or smaller, of two that leaves NaN out. Integers have none.
template <class T>
constexpr T nan() {
  return std::numeric_limits<T>::quiet_NaN();
}

}  // namespace eglantine::identities
