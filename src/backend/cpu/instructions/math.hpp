#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/cpu/instructions/activation_math.hpp"
#include "backend/cpu/instructions/random_math.hpp"
#include "backend/cpu/instructions/real_math.hpp"
#include "backend/cpu/instructions/special_math.hpp"
#include "eglantine/half.hpp"

/// The C++ side of ops.def: a function for each operation and element type, with its row's semantics and accuracy. All
/// arguments are defined: integers wrap, x / 0 = 0, any shift. Denormals stay. Simple ones (no branches) vectorize.
namespace eglantine::cpu_math {

using std::int32_t;
using std::uint32_t;

// ---- bits

constexpr uint32_t sign_bit = 0x80000000u;

inline uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
inline float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t magnitude_bits(float x) { return bits_of(x) & ~sign_bit; }

inline bool isnan(float x) { return magnitude_bits(x) > 0x7f800000u; }
template <class T>
requires std::is_integral_v<T>
bool isnan(T) { return false; }
inline bool isinf(float x) { return magnitude_bits(x) == 0x7f800000u; }
template <class T>
requires std::is_integral_v<T>
bool isinf(T) { return false; }
inline bool isfinite(float x) { return magnitude_bits(x) < 0x7f800000u; }
template <class T>
requires std::is_integral_v<T>
bool isfinite(T) { return true; }
inline bool signbit(float x) { return bits_of(x) >= sign_bit; }
inline bool signbit(uint32_t) { return false; }
inline bool signbit(int32_t x) { return x < 0; }

// ---- rounding to narrow types

inline float round_f16(float x) { return float_of(half::widened(half::rounded(bits_of(x)))); }
inline float round_bf16(float x) { return float_of(bfloat16::widened(bfloat16::rounded(bits_of(x)))); }
template <class T>
T wrap_i8(T x) {
  return static_cast<T>(static_cast<int8_t>(static_cast<uint8_t>(x)));
}
template <class T>
T wrap_u8(T x) {
  return static_cast<T>(static_cast<uint8_t>(x));
}
inline int32_t saturate_i8(int32_t x) { return std::clamp(x, -128, 127); }
inline uint32_t saturate_i8(uint32_t x) { return std::min(x, 127U); }
inline int32_t saturate_u8(int32_t x) { return std::clamp(x, 0, 255); }
inline uint32_t saturate_u8(uint32_t x) { return std::min(x, 255U); }

// ---- arithmetic: signed integers are computed as unsigned ones, which wrap

inline int32_t wrap(uint32_t x) { return static_cast<int32_t>(x); }
inline uint32_t word(int32_t x) { return static_cast<uint32_t>(x); }

inline float add(float x, float y) { return x + y; }
inline uint32_t add(uint32_t x, uint32_t y) { return x + y; }
inline int32_t add(int32_t x, int32_t y) { return wrap(word(x) + word(y)); }
inline float sub(float x, float y) { return x - y; }
inline uint32_t sub(uint32_t x, uint32_t y) { return x - y; }
inline int32_t sub(int32_t x, int32_t y) { return wrap(word(x) - word(y)); }
inline float mul(float x, float y) { return x * y; }
inline float multiply_add(float x, float y, float z) { return x * y + z; }
inline uint32_t mul(uint32_t x, uint32_t y) { return x * y; }
inline int32_t mul(int32_t x, int32_t y) { return wrap(word(x) * word(y)); }

inline float neg(float x) { return -x; }
inline uint32_t neg(uint32_t x) { return 0u - x; }
inline int32_t neg(int32_t x) { return wrap(0u - word(x)); }
inline float abs(float x) { return float_of(magnitude_bits(x)); }
inline uint32_t abs(uint32_t x) { return x; }
inline int32_t abs(int32_t x) { return x < 0 ? neg(x) : x; }
inline float sign(float x) { return x > 0.0f ? 1.0f : (x < 0.0f ? -1.0f : x); }
inline uint32_t sign(uint32_t x) { return x > 0u ? 1u : 0u; }
inline int32_t sign(int32_t x) { return (x > 0) - (x < 0); }

inline uint32_t size_of_value(int32_t x) { return word(abs(x)); }
/// All bits of the sign; x, or its negative where they are set.
inline uint32_t signs(int32_t x) { return word(x >> 31); }
inline uint32_t signed_by(uint32_t x, uint32_t negative) { return (x ^ negative) - negative; }

inline float div(float x, float y) { return x / y; }
/// floor(x / y) by doubles: what is no integer is at least 2^-32 of itself from one, so rounding does not reach it.
/// Unlike the processors' division of integers this vectorizes.
inline uint32_t div(uint32_t x, uint32_t y) {
  const double quotient = static_cast<double>(x) / static_cast<double>(y);
  const double shifted = quotient + 0x1p52, nearest = shifted - 0x1p52;
  const auto low = static_cast<uint32_t>(std::bit_cast<uint64_t>(shifted));
  return y == 0u ? 0u : low - (nearest > quotient ? 1u : 0u);
}
inline int32_t div(int32_t x, int32_t y) {
  return wrap(signed_by(div(size_of_value(x), size_of_value(y)), signs(x ^ y)));
}

/// x - y floor(x / y), rounded once; a zero result has the sign of y.
inline float remainder(float x, float y) {
  const float r = std::fmod(x, y);
  if (r == 0.0f) return std::copysign(0.0f, y);
  return (r < 0.0f) != (y < 0.0f) && !isnan(r) ? r + y : r;
}
inline uint32_t remainder(uint32_t x, uint32_t y) { return y == 0u ? 0u : x - div(x, y) * y; }
inline int32_t remainder(int32_t x, int32_t y) {
  const uint32_t size = remainder(size_of_value(x), size_of_value(y));
  return wrap(signed_by(size, signs(x)) + (size != 0u ? word(y) & signs(x ^ y) : 0u));
}

inline float fmod(float x, float y) { return std::fmod(x, y); }
inline uint32_t fmod(uint32_t x, uint32_t y) { return remainder(x, y); }
inline int32_t fmod(int32_t x, int32_t y) {
  return wrap(signed_by(fmod(size_of_value(x), size_of_value(y)), signs(x)));
}

/// floor(x / y): below 2^24 the quotient of two floats is 2^-48 from an integer that it does not equal, so that
/// rounding it to double does not change its floor. y = 0 gives x / 0, otherwise an infinite x NaN.
inline float floor_divide(float x, float y) {
  if (isinf(x) && y != 0.0f) return std::numeric_limits<float>::quiet_NaN();
  if (isinf(y) && !isnan(x)) return x != 0.0f && signbit(x) != signbit(y) ? -1.0f : x / y;
  return static_cast<float>(std::floor(static_cast<double>(x) / static_cast<double>(y)));
}
inline uint32_t floor_divide(uint32_t x, uint32_t y) { return div(x, y); }
inline int32_t floor_divide(int32_t x, int32_t y) {
  const int32_t quotient = div(x, y);
  const bool exact = mul(quotient, y) == x;
  return wrap(word(quotient) + (exact || y == 0 ? 0u : signs(x ^ y)));
}

// ---- order

/// Selections alone, so that one within the other vectorizes as well.
inline float maximum(float x, float y) {
  const float larger = x > y ? x : y;
  return x != x ? x : larger;
}
inline uint32_t maximum(uint32_t x, uint32_t y) { return x > y ? x : y; }
inline int32_t maximum(int32_t x, int32_t y) { return x > y ? x : y; }
inline float minimum(float x, float y) {
  const float smaller = x < y ? x : y;
  return x != x ? x : smaller;
}
inline uint32_t minimum(uint32_t x, uint32_t y) { return x < y ? x : y; }
inline int32_t minimum(int32_t x, int32_t y) { return x < y ? x : y; }
/// As maximum and minimum, but a NaN counts as missing.
inline float fmax(float x, float y) { return isnan(y) || x > y ? x : y; }
inline uint32_t fmax(uint32_t x, uint32_t y) { return x > y ? x : y; }
inline int32_t fmax(int32_t x, int32_t y) { return x > y ? x : y; }
inline float fmin(float x, float y) { return isnan(y) || x < y ? x : y; }
inline uint32_t fmin(uint32_t x, uint32_t y) { return x < y ? x : y; }
inline int32_t fmin(int32_t x, int32_t y) { return x < y ? x : y; }
inline float relu(float x) { return x <= 0.0f ? 0.0f : x; }
inline uint32_t relu(uint32_t x) { return x; }
inline int32_t relu(int32_t x) { return x > 0 ? x : 0; }

inline bool logical_and(bool x, bool y) { return (static_cast<int>(x) & static_cast<int>(y)) != 0; }
inline bool logical_or(bool x, bool y) { return (static_cast<int>(x) | static_cast<int>(y)) != 0; }

inline float floor(float x) { return std::floor(x); }
inline float ceil(float x) { return std::ceil(x); }
inline float round(float x) { return std::nearbyint(x); }
inline float trunc(float x) { return std::trunc(x); }
template <class T>
requires std::is_integral_v<T> T floor(T x) { return x; }
template <class T>
requires std::is_integral_v<T> T ceil(T x) { return x; }
template <class T>
requires std::is_integral_v<T> T round(T x) { return x; }
template <class T>
requires std::is_integral_v<T> T trunc(T x) { return x; }

inline uint32_t shift_left(uint32_t x, uint32_t y) { return y > 31u ? 0u : x << (y & 31u); }
inline int32_t shift_left(int32_t x, int32_t y) { return wrap(shift_left(word(x), word(y))); }
inline uint32_t shift_right(uint32_t x, uint32_t y) { return y > 31u ? 0u : x >> (y & 31u); }
inline int32_t shift_right(int32_t x, int32_t y) { return x >> (word(y) > 31u ? 31 : y); }

// ---- casts: to_float, to_int, to_uint, to_bool from every element type

template <class T>
float to_float(T x) {
  return static_cast<float>(x);
}

/// Truncates toward zero and saturates; NaN gives 0.
inline int32_t to_int(float x) {
  const float inside = abs(x) < 2147483648.0f ? x : 0.0f;
  const int32_t outside = isnan(x) || abs(x) < 2147483648.0f ? 0 : wrap(x > 0.0f ? ~sign_bit : sign_bit);
  return static_cast<int32_t>(inside) | outside;
}
template <class T>
requires std::is_integral_v<T> int32_t to_int(T x) { return static_cast<int32_t>(x); }
inline uint32_t to_uint(float x) {
  const bool fits = x >= 0.0f && x < 4294967296.0f;
  return fits ? static_cast<uint32_t>(static_cast<int64_t>(x)) : (x > 0.0f ? ~0u : 0u);
}
template <class T>
requires std::is_integral_v<T> uint32_t to_uint(T x) { return static_cast<uint32_t>(x); }
template <class T>
bool to_bool(T x) {
  return x != T{};
}

// ---- powers of integers; the other functions are in the headers above

inline uint32_t pow(uint32_t x, uint32_t y) {
  uint32_t power = 1u;
  for (; y != 0u; y >>= 1) {
    power = (y & 1u) != 0u ? power * x : power;
    x *= x;
  }
  return power;
}
inline int32_t pow(int32_t x, int32_t y) {
  if (y < 0) return x == 1 ? 1 : (x == -1 ? 1 - 2 * (y & 1) : 0);
  return wrap(pow(word(x), word(y)));
}

}  // namespace eglantine::cpu_math
