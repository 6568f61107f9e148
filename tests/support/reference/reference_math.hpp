#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "support/array.hpp"
#include "support/reference/reference_special.hpp"

/// Every element-wise operation of the table, written a second time, independently of both backends: real functions in
/// double (long double where double would lose bits that show in float), integer functions in 64 bits, wrapped at the
/// end. One function for each operation, with its name and arity. Comparisons and classifications return bool. Floats
/// are passed as double; rounding the result to float gives the value with an error of 0 ULP.
namespace eglantine::reference {

using std::int32_t;
using std::int64_t;
using std::uint32_t;
using std::uint64_t;

/// 32-bit integers as 64-bit ones, so that nothing overflows (except products of two u32, which wrap alike).
template <class T>
concept Integer = std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t>;
template <class T>
concept Element = Integer<T> || std::is_same_v<T, double> || std::is_same_v<T, bool>;
template <Integer T>
T wrapped(int64_t x) {
  return static_cast<T>(static_cast<uint32_t>(static_cast<uint64_t>(x)));
}

// ---- identity and sign

template <Element T>
T copy(T x) {
  return x;
}
inline double neg(double x) { return -x; }
template <Integer T>
T neg(T x) {
  return wrapped<T>(-int64_t{x});
}
inline double abs(double x) { return std::fabs(x); }
template <Integer T>
T abs(T x) {
  return wrapped<T>(x < 0 ? -int64_t{x} : int64_t{x});
}
inline double sign(double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }
template <Integer T>
T sign(T x) {
  return x == 0 ? T{0} : (x > 0 ? T{1} : wrapped<T>(-1));
}
inline double relu(double x) { return x < 0 ? 0.0 : x; }
template <Integer T>
T relu(T x) {
  return x > 0 ? x : T{0};
}
inline double square(double x) { return x * x; }

// ---- functions of a real number

inline double exp(double x) { return std::exp(x); }
inline double exp2(double x) { return std::exp2(x); }
inline double expm1(double x) { return std::expm1(x); }
inline double log(double x) { return x < 0 ? nan : std::log(x); }
inline double log2(double x) { return x < 0 ? nan : std::log2(x); }
inline double log1p(double x) { return x < -1 ? nan : std::log1p(x); }
inline double sqrt(double x) { return x < 0 ? nan : std::sqrt(x); }
inline double rsqrt(double x) { return x < 0 ? nan : 1 / std::sqrt(x); }
inline double reciprocal(double x) { return 1 / x; }
inline double sin(double x) { return std::isinf(x) ? nan : std::sin(x); }
inline double cos(double x) { return std::isinf(x) ? nan : std::cos(x); }
inline double tan(double x) { return std::isinf(x) ? nan : std::tan(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double silu(double x) { return x == -infinity ? -0.0 : x / (1 + std::exp(-x)); }
inline double gelu(double x) {
  if (x == -infinity) return 0;
  const long double v = x;
  return static_cast<double>(0.5L * v * std::erfc(-v * 0.707106781186547524400844362104849039L));
}
inline double erf(double x) { return std::erf(x); }
inline double floor(double x) { return std::floor(x); }
inline double ceil(double x) { return std::ceil(x); }
inline double trunc(double x) { return std::trunc(x); }
inline double round(double x) {
  const double below = std::floor(x);
  const double above_it = x - below;
  const bool up = above_it > 0.5 || (above_it == 0.5 && std::fmod(below, 2.0) != 0);
  return up ? std::copysign(below + 1, x) : std::copysign(below, x);
}
template <Integer T>
T floor(T x) {
  return x;
}
template <Integer T>
T ceil(T x) {
  return x;
}
template <Integer T>
T trunc(T x) {
  return x;
}
template <Integer T>
T round(T x) {
  return x;
}
inline bool isnan(double x) { return std::isnan(x); }
inline bool isinf(double x) { return std::isinf(x); }
inline bool isfinite(double x) { return std::isfinite(x); }
template <class T>
concept Whole = Integer<T> || std::is_same_v<T, bool>;
template <Whole T>
bool isnan(T) {
  return false;
}
template <Whole T>
bool isinf(T) {
  return false;
}
template <Whole T>
bool isfinite(T) {
  return true;
}
inline bool signbit(double x) { return std::signbit(x); }
template <Integer T>
bool signbit(T x) {
  return x < 0;
}

// ---- arithmetic

inline double add(double x, double y) { return x + y; }
inline double sub(double x, double y) { return x - y; }
inline double mul(double x, double y) { return x * y; }
inline double div(double x, double y) { return x / y; }
template <Integer T>
T add(T x, T y) {
  return wrapped<T>(int64_t{x} + int64_t{y});
}
template <Integer T>
T sub(T x, T y) {
  return wrapped<T>(int64_t{x} - int64_t{y});
}
template <Integer T>
T mul(T x, T y) {
  return wrapped<T>(static_cast<int64_t>(static_cast<uint64_t>(int64_t{x}) * static_cast<uint64_t>(int64_t{y})));
}
template <Integer T>
T square(T x) {
  return mul(x, x);
}
template <Integer T>
T div(T x, T y) {
  return y == 0 ? T{0} : wrapped<T>(int64_t{x} / int64_t{y});
}

/// x - y floor(x / y): C's exact remainder, plus y when its sign differs from y's.
inline double remainder(double x, double y) {
  const double r = std::fmod(x, y);
  if (r == 0) return std::copysign(0.0, y);
  return (r < 0) != (y < 0) ? static_cast<double>(static_cast<long double>(r) + y) : r;
}
inline double fmod(double x, double y) { return std::fmod(x, y); }
template <Integer T>
T fmod(T x, T y) {
  return y == 0 ? T{0} : wrapped<T>(int64_t{x} % int64_t{y});
}
/// As numpy.floor_divide: (x - remainder) / y, a whole number until double rounds it.
inline double floor_divide(double x, double y) {
  if (y == 0) return x / y;
  if (std::isnan(x) || std::isnan(y) || std::isinf(x)) return nan;
  const bool negative = std::signbit(x) != std::signbit(y);
  if (std::isinf(y)) return negative && x != 0 ? -1 : std::copysign(0.0, negative ? -1 : 1);
  const double r = std::fmod(x, y);
  const long double whole = (static_cast<long double>(x) - r) / y;
  if (r != 0 && negative) return static_cast<double>(whole - 1);
  return whole == 0 ? std::copysign(0.0, x / y) : static_cast<double>(whole);
}
template <Integer T>
T floor_divide(T x, T y) {
  if (y == 0) return T{0};
  const int64_t quotient = int64_t{x} / int64_t{y};
  return wrapped<T>(quotient * int64_t{y} != x && (x < 0) != (y < 0) ? quotient - 1 : quotient);
}
template <Integer T>
T remainder(T x, T y) {
  if (y == 0) return T{0};
  const int64_t r = int64_t{x} % int64_t{y};
  return wrapped<T>(r != 0 && (r < 0) != (y < 0) ? r + y : r);
}

inline double pow(double x, double y) {
  // powl of glibc 2.36 returns infinity for (-infinity)^-2^63.
  if (std::isinf(x)) return std::pow(x, y);
  return static_cast<double>(std::pow(static_cast<long double>(x), static_cast<long double>(y)));
}
template <Integer T>
T pow(T x, T y) {
  if (y < 0) return x == 1 ? T{1} : (int64_t{x} == -1 ? wrapped<T>(y % 2 == 0 ? 1 : -1) : T{0});
  T power{1};
  for (int bit = 31; bit >= 0; --bit) {
    power = mul(power, power);
    if ((static_cast<uint32_t>(y) >> bit & 1u) != 0) power = mul(power, x);
  }
  return power;
}
inline double maximum(double x, double y) { return std::isnan(x) || std::isnan(y) ? nan : (x < y ? y : x); }
inline double minimum(double x, double y) { return std::isnan(x) || std::isnan(y) ? nan : (y < x ? y : x); }
template <Integer T>
T maximum(T x, T y) {
  return x < y ? y : x;
}
template <Integer T>
T minimum(T x, T y) {
  return y < x ? y : x;
}
inline double fmax(double x, double y) { return std::fmax(x, y); }
inline double fmin(double x, double y) { return std::fmin(x, y); }
template <Integer T>
T fmax(T x, T y) {
  return x < y ? y : x;
}
template <Integer T>
T fmin(T x, T y) {
  return y < x ? y : x;
}

// ---- comparison, logic, bits

template <Element T>
bool eq(T x, T y) {
  return x == y;
}
template <Element T>
bool ne(T x, T y) {
  return !(x == y);
}
template <Element T>
bool lt(T x, T y) {
  return x < y;
}
template <Element T>
bool le(T x, T y) {
  return x < y || x == y;
}
template <Element T>
bool gt(T x, T y) {
  return y < x;
}
template <Element T>
bool ge(T x, T y) {
  return y < x || x == y;
}
inline bool logical_not(bool x) { return !x; }
inline bool logical_and(bool x, bool y) { return x && y; }
inline bool logical_or(bool x, bool y) { return x || y; }
inline bool logical_xor(bool x, bool y) { return x != y; }
template <Integer T>
T bit_not(T x) {
  return static_cast<T>(~x);
}
template <Integer T>
T bit_and(T x, T y) {
  return static_cast<T>(x & y);
}
template <Integer T>
T bit_or(T x, T y) {
  return static_cast<T>(x | y);
}
template <Integer T>
T bit_xor(T x, T y) {
  return static_cast<T>(x ^ y);
}
template <Integer T>
T shift_left(T x, T y) {
  return y < 0 || y > 31 ? T{0} : wrapped<T>(static_cast<int64_t>(static_cast<uint64_t>(int64_t{x}) << y));
}
template <Integer T>
T shift_right(T x, T y) {
  const int count = y < 0 || y > 31 ? 32 : static_cast<int>(y);
  return wrapped<T>(static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(x), -count))));
}

// ---- three arguments

template <Element T>
T where(bool x, T y, T z) {
  return x ? y : z;
}
template <class T>
T clip(T x, T y, T z) {
  return minimum(maximum(x, y), z);
}

// ---- random numbers

struct PhiloxBlock {
  uint32_t word[4];
};

/// The four words of a counter by Philox 4x32-10: Salmon, Moraes, Dror and Shaw (2011).
inline PhiloxBlock philox_block(PhiloxBlock counter, uint64_t key) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  uint32_t* c = counter.word;
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const uint64_t p0 = 0xD2511F53ull * c[0], p1 = 0xCD9E8D57ull * c[2];
    counter = {{static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
                static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)}};
  }
  return counter;
}
inline uint32_t philox(uint32_t index, uint32_t key_low, uint32_t key_high) {
  return philox_block({{index / 4, 0, 0, 0}}, uint64_t{key_high} << 32 | key_low).word[index % 4];
}
#define EG_STREAM(name, stream)                                                                           \
  inline uint32_t philox_##name(uint32_t index, uint32_t key_low, uint32_t key_high) {                    \
    return philox_block({{index / 4, 0, stream, 0}}, uint64_t{key_high} << 32 | key_low).word[index % 4]; \
  }
EG_STREAM(randint, 2)
EG_STREAM(bernoulli, 3)
EG_STREAM(exponential, 4)
EG_STREAM(gumbel, 5)
EG_STREAM(laplace, 6)
EG_STREAM(truncated, 7)
EG_STREAM(permutation, 8)
EG_STREAM(categorical, 9)
#undef EG_STREAM
inline uint32_t philox_randint_high(uint32_t number, uint32_t key_low, uint32_t key_high) {
  return philox_randint(2 * number, key_low, key_high);
}
inline uint32_t philox_randint_low(uint32_t number, uint32_t key_low, uint32_t key_high) {
  return philox_randint(2 * number + 1, key_low, key_high);
}
/// Numbers from the least up: half of all words are for negative ones, counted down from the middle.
inline uint32_t order_key(double x) {
  if (std::isnan(x)) return 0xffffffffU;
  const auto magnitude = static_cast<float>(std::fabs(x));
  uint32_t number = 0;
  std::memcpy(&number, &magnitude, sizeof(number));
  return std::signbit(x) ? 0x7fffffffU - number : 0x80000000U + number;
}
inline double from_order_key(uint32_t key) {
  const bool negative = key < 0x80000000U;
  const uint32_t number = negative ? 0x7fffffffU - key : key - 0x80000000U;
  float magnitude = 0;
  std::memcpy(&magnitude, &number, sizeof(number));
  return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}
inline double multiply_add(double x, double y, double z) { return x * y + z; }
inline double pow_half(double x) { return std::pow(x, 0.5); }
inline double pow_minus_half(double x) { return std::pow(x, -0.5); }
inline double pow_three_halves(double x) { return std::pow(x, 1.5); }
inline double exp_near(double x) { return std::exp(x); }
inline double gelu_slope(double x) {
  const long double v = std::clamp(x, -40.0, 40.0);
  const long double density = 0.398942280401432677939946059934381868L * std::exp(-v * v / 2);
  return std::isnan(x) ? x
                       : static_cast<double>(std::erfc(-v * 0.707106781186547524400844362104849039L) / 2 + v * density);
}
inline double expm1_near(double x) { return std::expm1(x); }
inline double log_near(double x) { return std::log(x); }
inline double log2_near(double x) { return std::log2(x); }
inline double log10_near(double x) { return std::log10(x); }
inline double log1p_near(double x) { return std::log1p(x); }
inline double tanh_near(double x) { return std::tanh(x); }
inline double sigmoid_near(double x) { return sigmoid(x); }
inline double softplus_near(double x) { return softplus(x); }
inline double sin_near(double x) { return std::sin(x); }
inline double cos_near(double x) { return std::cos(x); }
inline double div_f16(double x, double y) { return x / y; }
inline double div_bf16(double x, double y) { return x / y; }
inline double reciprocal_f16(double x) { return 1 / x; }
inline double reciprocal_bf16(double x) { return 1 / x; }
inline double round_f16(double x) { return test::as_element(DType::f16, x); }
inline double round_bf16(double x) { return test::as_element(DType::bf16, x); }
template <class T>
T wrap_i8(T x) {
  return static_cast<T>(static_cast<int64_t>(test::as_element(DType::i8, static_cast<double>(x))));
}
template <class T>
T wrap_u8(T x) {
  return static_cast<T>(test::as_element(DType::u8, static_cast<double>(x)));
}
inline int32_t saturate_i8(int32_t x) { return std::min(std::max(x, -128), 127); }
inline uint32_t saturate_i8(uint32_t x) { return std::min(x, 127U); }
inline int32_t saturate_u8(int32_t x) { return std::min(std::max(x, 0), 255); }
inline uint32_t saturate_u8(uint32_t x) { return std::min(x, 255U); }
inline double uniform_from_bits(uint32_t x) { return static_cast<double>(x / 256) / 16777216.0; }
/// The two coordinates of Box and Muller's transformation of two words.
struct NormalPair {
  double even, odd;
};
inline NormalPair normal_pair(uint32_t x, uint32_t y) {
  const long double a = static_cast<long double>(x / 256 + 1) / 16777216.0L;
  const long double angle = 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(y / 256) / 16777216;
  const long double radius = std::sqrt(-2 * std::log(a));
  return {static_cast<double>(radius * std::cos(angle)), static_cast<double>(radius * std::sin(angle))};
}
/// Of the stream whose counters have a third word of 1.
inline double philox_normal(uint32_t number, uint32_t key_low, uint32_t key_high) {
  const PhiloxBlock block = philox_block({{number / 4, 0, 1, 0}}, uint64_t{key_high} << 32 | key_low);
  const uint32_t first = number % 4 / 2 * 2;
  const NormalPair pair = normal_pair(block.word[first], block.word[first + 1]);
  return number % 2 == 0 ? pair.even : pair.odd;
}

// ---- 64-bit numbers

inline uint32_t multiply_high(uint32_t x, uint32_t y, uint32_t z) {
  return static_cast<uint32_t>((uint64_t{x} * y + z) >> 32);
}
/// Rounded to 24 bits here, since double would round before that.
inline double float_of_fixed(uint32_t x, uint32_t y, uint32_t z) {
  const auto v = static_cast<int64_t>(uint64_t{x} << 32 | y);
  return std::ldexp(static_cast<double>(static_cast<float>(v)), static_cast<int32_t>(z));
}
/// The two floats beside v, of which one is odd.
inline double odd_of_fixed(uint32_t x, uint32_t y, uint32_t z) {
  const auto v = static_cast<int64_t>(uint64_t{x} << 32 | y);
  auto near = static_cast<float>(v);
  // 2^63 and its like pass 64 bits: long double holds both exactly.
  const auto exact = static_cast<long double>(v), beside = static_cast<long double>(near);
  if (exact != beside && std::bit_cast<uint32_t>(near) % 2 == 0)
    near = std::nextafter(near, exact > beside ? static_cast<float>(infinity) : -static_cast<float>(infinity));
  return std::ldexp(static_cast<double>(near), static_cast<int32_t>(z));
}
inline double exp2_of_fixed(uint32_t x, uint32_t y) {
  return std::ldexp(std::exp2(static_cast<double>(y) * 0x1p-32), static_cast<int32_t>(x));
}
/// By bisection of the distribution function.
inline double normal_quantile(double x) {
  if (std::isnan(x) || x < 0 || x > 1) return nan;
  if (x == 0.5) return 0;
  if (x > 0.5) return -normal_quantile(1 - x);
  if (x == 0) return -infinity;
  double low = -40, high = 0;
  for (double middle = low / 2; low < middle && middle < high; middle = (low + high) / 2)
    (std::erfc(-middle / 1.41421356237309504880) / 2 < x ? low : high) = middle;
  return high;
}

// ---- casts of the numeric contract

template <class To, Element From>
To cast(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From{};
  } else if constexpr (Integer<To> && std::is_same_v<From, double>) {
    if (std::isnan(x)) return To{0};
    const double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(x < low ? low : (x > high ? high : std::trunc(x)));
  } else if constexpr (Integer<To>) {
    return wrapped<To>(static_cast<int64_t>(x));
  } else {
    return static_cast<To>(x);
  }
}

// ---- errors in units in the last place

/// Numbers floats in order: neighbours differ by one; -0 and +0 are the same.
inline int64_t ordinal(float x) {
  int32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits < 0 ? int64_t{std::numeric_limits<int32_t>::min()} - bits : int64_t{bits};
}

/// The number of floats from the correctly rounded `want` to `got`. 0 for two NaNs; the largest integer for one NaN. A
/// denormal `want`, or one that became normal by rounding, may be flushed to zero.
inline int64_t ulp_distance(float got, double want) {
  const float rounded = static_cast<float>(want);
  if (std::isnan(got) || std::isnan(rounded)) {
    return std::isnan(got) && std::isnan(rounded) ? 0 : std::numeric_limits<int64_t>::max();
  }
  if (got == 0 && std::fabs(rounded) <= std::numeric_limits<float>::min()) return 0;
  const int64_t difference = ordinal(got) - ordinal(rounded);
  return difference < 0 ? -difference : difference;
}

}  // namespace eglantine::reference
