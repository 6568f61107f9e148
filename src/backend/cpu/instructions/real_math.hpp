#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backend/cpu/instructions/circular_math.hpp"

/// The real functions of ops.def on floats. Those without a libm call are computed in double, to 2^-31 at least, and
/// rounded once: at most 0.51 ULP, measured on every 61st float; branch-free, so that loops over them vectorize.
namespace eglantine::cpu_math {

/// 2^n e^r as its factors: scale = 2^n, and less_one = e^r - 1 to 2^-32.
struct Power {
  double scale, less_one;
  double value() const { return (1.0 + less_one) * scale; }
};

/// 2^n e^r, n = round(turns), r = rest(n), |r| <= log(2) / 2: e^r = 1 + r + r^2 Q(r), Q of degree 5. NaN propagates.
/// |turns| < 1000: 2^n is assembled from bits, as a libm call would keep loops from vectorizing.
template <class Rest>
Power two_to_the(double turns, Rest rest) {
  const double shifted = turns + round_to_integer, r = rest(shifted - round_to_integer);
  double q = 0.00019890980869750327;
  q = q * r + 0.0013933641031986701;
  q = q * r + 0.008333310934448869;
  q = q * r + 0.04166646500604005;
  q = q * r + 0.16666666681614256;
  q = q * r + 0.5000000013457727;
  return {std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52), r + r * r * q};
}

/// Clamps to far beyond where e^x, 2^x and their inverses overflow or vanish in float.
inline double limited(double x) { return x < -200.0 ? -200.0 : (x > 200.0 ? 200.0 : x); }
constexpr double log_of_two = 0.69314718055994530942, turns_of_e = 1.4426950408889634074;
inline Power power_of_e(double x) {
  const double v = limited(x);
  return two_to_the(v * turns_of_e, [v](double n) { return v - n * log_of_two; });
}
inline double exp_of(double x) { return power_of_e(x).value(); }
/// e^x - 1, accurate near 0.
inline double expm1_of(double x) {
  const Power power = power_of_e(x);
  return power.scale * power.less_one + (power.scale - 1.0);
}

/// A positive finite number as 2^twos (1 + f), with 1 + f between sqrt(1/2) and sqrt(2).
struct FloatParts {
  double twos, f;
};
inline FloatParts parts_of(double x) {
  constexpr uint64_t root_of_half = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000, fraction = 0x000fffffffffffff;
  const uint64_t moved = std::bit_cast<uint64_t>(x) + (one - root_of_half);
  // The exponent in the low bits of 2^52: vector code has no conversion from 64-bit integers.
  const double exponent = std::bit_cast<double>((moved >> 52) | 0x4330000000000000);
  return {exponent - (0x1p52 + 1023.0), std::bit_cast<double>((moved & fraction) + root_of_half) - 1.0};
}

/// log(1 + f), relative error 2^-36, for FloatParts::f: 2 atanh(f / (2 + f)), by the series of atanh up to power 13.
inline double log_of_part(double f) {
  const double s = f / (2.0 + f), z = s * s;
  double r = 2.0 / 13;
  r = r * z + 2.0 / 11;
  r = r * z + 2.0 / 9;
  r = r * z + 2.0 / 7;
  r = r * z + 2.0 / 5;
  r = r * z + 2.0 / 3;
  return 2.0 * s + s * (z * r);
}
inline double log_of(const FloatParts& parts) { return parts.twos * log_of_two + log_of_part(parts.f); }

/// `logarithm` of x where x is positive and finite; else -infinity at 0, infinity at infinity, NaN.
inline float logarithm_or_limit(double x, double logarithm) {
  const double limit = x == 0.0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return static_cast<float>(x > 0.0 ? (x > 0x1p200 ? x : logarithm) : limit);
}

/// Rounded once from 2^-32: at most 0.503 ULP, measured on every 61st float.
inline float exp(float x) { return static_cast<float>(exp_of(x)); }
inline float exp2(float x) {
  const double v = limited(x);
  return static_cast<float>(two_to_the(v, [v](double n) { return (v - n) * log_of_two; }).value());
}
inline float expm1(float x) { return std::copysign(static_cast<float>(expm1_of(x)), x); }
inline float log(float x) { return logarithm_or_limit(x, log_of(parts_of(x))); }
inline float log2(float x) {
  const FloatParts parts = parts_of(x);
  return logarithm_or_limit(x, parts.twos + log_of_part(parts.f) * turns_of_e);
}
/// Near 0, where 1 + x is rounded, f is x itself.
inline float log1p(float x) {
  const double more = 1.0 + static_cast<double>(x);
  const FloatParts parts = parts_of(more);
  const double f = parts.twos == 0.0 ? static_cast<double>(x) : parts.f;
  return std::copysign(logarithm_or_limit(more, parts.twos * log_of_two + log_of_part(f)), x);
}

/// x^y = 2^(y log2 |x|), to 2^-29, with the sign of x where y is odd, and the limits of C's powf.
inline float pow(float x, float y) {
  const double size = std::fabs(static_cast<double>(x)), power = y;
  const FloatParts parts = parts_of(size);
  const double logarithm = parts.twos + log_of_part(parts.f) * turns_of_e;
  const double limit = size == 0.0 ? -std::numeric_limits<double>::infinity() : size;  // infinity or NaN stays
  const double turns = limited(power * (size > 0.0 && size < 0x1p200 ? logarithm : limit));
  const double value = two_to_the(turns, [turns](double n) { return (turns - n) * log_of_two; }).value();
  // From 2^24 on every float is an even integer.
  const double steps = std::fabs(power) < 0x1p24 ? std::fabs(power) : 0x1p24, shifted = steps + 0x1p52;
  const uint64_t whole = shifted - 0x1p52 == steps ? 1 : 0, negative = x < 0.0f ? 1 : 0,
                 finite = size < 0x1p200 ? 1 : 0;
  const uint64_t odd = whole & std::bit_cast<uint64_t>(shifted);
  const uint64_t sign = std::bit_cast<uint64_t>(static_cast<double>(x)) & odd << 63;
  const double found = std::bit_cast<double>(std::bit_cast<uint64_t>(value) | sign);
  const double real = (negative & finite & (1 - whole)) != 0 ? std::numeric_limits<double>::quiet_NaN() : found;
  const double of_one = size == 1.0 && std::fabs(power) > 0x1p200 ? 1.0 : real;
  return static_cast<float>(y == 0.0f ? 1.0 : (x == 1.0f ? 1.0 : of_one));
}
inline float sqrt(float x) { return std::sqrt(x); }
inline float rsqrt(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
/// pow(x, 1/2) and pow(x, -1/2), which have no sign at -0 and a value at -infinity.
inline float pow_half(float x) {
  const float root = std::sqrt(x == -std::numeric_limits<float>::infinity() ? -x : x);
  return x == 0 ? 0.0F : root;
}
inline float pow_minus_half(float x) {
  return rsqrt(x == 0 || x == -std::numeric_limits<float>::infinity() ? std::fabs(x) : x);
}
/// (e^2x - 1) / (e^2x + 1).
inline float tanh(float x) {
  const double t = expm1_of(2.0 * static_cast<double>(x));
  return std::copysign(static_cast<float>(t / (t + 2.0)), x);
}

/// erfc(x) for x >= 0, to 2^-31: e^(-x^2) times a least-squares polynomial in (x - 3) / (x + 3) over Chebyshev points
/// up to x = 13, where erfc underflows float.
inline double erfc_of(double x) {
  const double v = x > 13.0 ? 13.0 : x, u = (v - 3.0) / (v + 3.0);
  double p = -6.890287810972026e-06;
  p = p * u - 1.0018552742157896e-05;
  p = p * u + 6.377991466573874e-05;
  p = p * u + 4.359659356835261e-05;
  p = p * u - 0.0005970681202297814;
  p = p * u + 0.0007082420177887539;
  p = p * u + 0.004269141464520786;
  p = p * u - 0.024392574332274028;
  p = p * u + 0.07166583828965455;
  p = p * u - 0.15011593157394063;
  p = p * u + 0.24560380153278405;
  p = p * u - 0.3262335601323286;
  p = p * u + 0.1790011511838156;
  return p * exp_of(-v * v);
}

/// Below 3/4 by the series, up to the 21st power.
inline float erf(float x) {
  const double v = std::fabs(static_cast<double>(x)), z = v * v;
  double q = 1.0 / 76204800;
  q = 1.0 / 6894720 - z * q;
  q = 1.0 / 685440 - z * q;
  q = 1.0 / 75600 - z * q;
  q = 1.0 / 9360 - z * q;
  q = 1.0 / 1320 - z * q;
  q = 1.0 / 216 - z * q;
  q = 1.0 / 42 - z * q;
  q = 1.0 / 10 - z * q;
  q = 1.0 / 3 - z * q;
  q = 1.0 - z * q;
  const double series = 1.1283791670955125739 * v * q;
  return std::copysign(static_cast<float>(v < 0.75 ? series : 1.0 - erfc_of(v)), x);
}
inline float sigmoid(float x) { return static_cast<float>(1.0 / (1.0 + exp_of(-static_cast<double>(x)))); }
inline float silu(float x) {
  const double v = x;
  return x < -110.0f ? -0.0f : static_cast<float>(v / (1.0 + exp_of(-v)));
}
/// P(normal > t).
inline double normal_tail(double t) { return 0.5 * erfc_of(t * 0.70710678118654752440); }
inline float gelu(float x) {
  const double v = x, tail = normal_tail(std::fabs(v));
  return x < -16.0f ? 0.0f : static_cast<float>(v * (v < 0.0 ? tail : 1.0 - tail));
}
inline float gelu_slope(float x) {
  const double t = std::fmin(std::fabs(static_cast<double>(x)), 16.0);
  const double y = normal_tail(t) - t * 0.39894228040143267794 * exp_of(-0.5 * t * t);
  return std::isnan(x) ? x : static_cast<float>(x > 0.0f ? 1.0 - y : y);
}

}  // namespace eglantine::cpu_math
