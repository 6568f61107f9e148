#pragma once

#include "backend/cpu/instructions/real_math.hpp"

/// Inverse, hyperbolic, error and gamma functions of ops.def, and real functions of two arguments. Those without a libm
/// call are computed in double and rounded once, as in real_math.hpp.
namespace eglantine::cpu_math {

constexpr double pi = 3.14159265358979323846, quiet_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

inline float exp10(float x) { return static_cast<float>(exp_of(2.302585092994045684 * static_cast<double>(x))); }
inline float log10(float x) {
  const FloatParts parts = parts_of(x);
  return logarithm_or_limit(x, 0.43429448190325182765 * log_of(parts));
}
inline float rad2deg(float x) { return static_cast<float>(57.295779513082320877 * static_cast<double>(x)); }
inline float deg2rad(float x) { return static_cast<float>(0.017453292519943295769 * static_cast<double>(x)); }

/// log(1 + x) for x >= 0, to 2^-36.
inline double log1p_of(double x) {
  const FloatParts parts = parts_of(1.0 + x);
  return parts.twos * log_of_two + log_of_part(parts.twos == 0.0 ? x : parts.f);
}

inline float sinh(float x) {
  const double m = expm1_of(std::fabs(static_cast<double>(x)));
  return static_cast<float>(std::copysign(0.5 * (m + m / (m + 1.0)), x));
}
inline float cosh(float x) {
  const double e = exp_of(std::fabs(static_cast<double>(x)));
  return static_cast<float>(0.5 * (e + 1.0 / e));
}
inline float asinh(float x) {
  const double v = std::fabs(static_cast<double>(x)), w = v * v;
  const double y = log1p_of(v + w / (1.0 + std::sqrt(1.0 + w)));
  return static_cast<float>(std::copysign(v < infinite ? y : v, x));
}
inline float acosh(float x) {
  const double v = x, t = v - 1.0, y = log1p_of(t + std::sqrt(t * (v + 1.0)));
  return static_cast<float>(v >= 1.0 ? (v < infinite ? y : v) : quiet_nan);
}
inline float atanh(float x) {
  const double v = std::fabs(static_cast<double>(x)), y = 0.5 * log1p_of(2.0 * v / (1.0 - v));
  return static_cast<float>(std::copysign(v < 1.0 ? y : (v == 1.0 ? infinite : quiet_nan), x));
}
/// 2^(log2|x| / 3).
inline float cbrt(float x) {
  const double v = std::fabs(static_cast<double>(x));
  const FloatParts parts = parts_of(v);
  const double turns = limited((parts.twos + log_of_part(parts.f) * turns_of_e) * (1.0 / 3));
  const double y = two_to_the(turns, [turns](double n) { return (turns - n) * log_of_two; }).value();
  return static_cast<float>(std::copysign(v > 0.0 && v < infinite ? y : v, x));
}

inline float erfc(float x) {
  const double tail = erfc_of(std::fabs(static_cast<double>(x)));
  return static_cast<float>(x < 0.0f ? 2.0 - tail : tail);
}

/// The polynomials of erfinv(x) / x: in w - 2.5 for w = -log(1 - x^2) < 5, in sqrt(w) - 3 beyond; Remez, 2^-33.
constexpr double erfinv_near[] = {-1.9767393053091386e-11, 1.2359373544855402e-10,  8.0618974844587839e-10,
                                  -1.0863812949815588e-08, 1.387449136030938e-08,   4.7870150708924893e-07,
                                  -3.4176953707216143e-06, -4.9960293159822252e-06, 0.00021825147691229298,
                                  -0.0012527079283319886,  -0.0041773182391831969,  0.24664027674058109,
                                  1.5014093511464492};
constexpr double erfinv_far[] = {1.040502551594834e-05,  -2.6570954407402052e-05, -2.9775709461987289e-05,
                                 0.00020411083444471555, -0.0002937009705556514,  -0.00014685768653888894,
                                 0.0014870621615654914,  -0.0035594501900646195,  0.0056846829230708454,
                                 -0.0076437315672893439, 0.0094455508286561164,   1.0016752745736137,
                                 2.8329767984471586};
inline float erfinv(float x) {
  const double v = x, a = std::fabs(v);
  if (!(a < 1.0)) return static_cast<float>(a == 1.0 ? std::copysign(infinite, v) : quiet_nan);
  const double w = -log_of(parts_of((1.0 - a) * (1.0 + a))), s = w > 5.0 ? std::sqrt(w) - 3.0 : w - 2.5;
  double p = 0.0;
  for (double c : w > 5.0 ? erfinv_far : erfinv_near) p = p * s + c;
  return static_cast<float>(v * p);
}

/// x less the nearest integer.
inline double from_integer(double x) { return x - std::nearbyint(x); }

/// log(gamma(x)) for x > 0: Stirling's series from x + n >= 10 on, less the logarithm of x (x + 1) ... (x + n - 1).
/// Absolute error 1e-15; exactly 0 at the zeros 1 and 2.
inline double lgamma_of(double x) {
  if (x == 1.0 || x == 2.0) return 0.0;
  double product = 1.0;
  for (; x < 10.0; x += 1.0) product *= x;
  const double y = 1.0 / (x * x);
  double series = y * (691.0 / 360360 - y * (1.0 / 156));
  series = y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - series))));
  return ((x - 0.5) * std::log(x) - x + 0.91893853320467274178 + (1.0 / 12 - series) / x) - std::log(product);
}

/// Not std::lgamma, which writes a global variable. Infinite at 0, -1, -2 ...
inline float lgamma(float x) {
  const double a = std::fabs(static_cast<double>(x));
  if (!(a < infinite)) return static_cast<float>(a);
  if (a == 0.0 || (x < 0.0f && from_integer(a) == 0.0)) return std::numeric_limits<float>::infinity();
  const double positive = lgamma_of(a);
  if (x > 0.0f) return static_cast<float>(positive);
  return static_cast<float>(-(std::log(a * std::fabs(std::sin(pi * from_integer(a))) / pi) + positive));
}

/// The derivative of log(gamma(x)) for x > 0, by its asymptotic series from x + n >= 10 on.
inline double digamma_of(double x) {
  double sum = 0.0;
  for (; x < 10.0; x += 1.0) sum += 1.0 / x;
  const double y = 1.0 / (x * x);
  const double series =
      y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760))))));
  return (std::log(x) - 0.5 / x - series) - sum;
}

/// Below 0 reflected: psi(-a) = psi(1 + a) + pi cot(pi a).
inline float digamma(float x) {
  const double v = x, a = std::fabs(v);
  if (a == 0.0) return static_cast<float>(std::copysign(infinite, -v));
  if (!(a < infinite)) return static_cast<float>(v > 0.0 ? v : quiet_nan);
  if (v > 0.0) return static_cast<float>(digamma_of(v));
  const double f = from_integer(a);
  return static_cast<float>(f == 0.0 ? quiet_nan : digamma_of(a) + 1.0 / a + pi / std::tan(pi * f));
}

// ---- two and three arguments

inline float hypot(float x, float y) {
  const double v = x, w = y;
  const double far = std::fabs(v) == infinite ? infinite : std::sqrt(v * v + w * w);
  return static_cast<float>(std::fabs(w) == infinite ? infinite : far);
}
inline float copysign(float x, float y) { return std::copysign(x, y); }

/// m + log(1 + e^-d), of the larger m and the distance d; an infinite m alone, as infinities may have no distance.
inline float logaddexp(float x, float y) {
  const double m = x > y ? x : y, d = std::fabs(static_cast<double>(x) - static_cast<double>(y));
  if (std::isnan(x) || std::isnan(y)) return x + y;
  return static_cast<float>(std::isinf(m) ? m : m + log1p_of(exp_of(-d)));
}
inline float logaddexp2(float x, float y) {
  const double m = x > y ? x : y, d = std::fabs(static_cast<double>(x) - static_cast<double>(y));
  if (std::isnan(x) || std::isnan(y)) return x + y;
  return static_cast<float>(std::isinf(m) ? m : m + turns_of_e * log1p_of(exp_of(-d * log_of_two)));
}
inline float xlogy(float x, float y) {
  if (x == 0.0f && !std::isnan(y)) return 0.0f;
  const double v = y, limit = v == 0.0 ? -infinite : (v > 0.0 ? v : quiet_nan);
  const double logarithm = v > 0.0 && v < infinite ? log_of(parts_of(v)) : limit;
  return static_cast<float>(static_cast<double>(x) * logarithm);
}
inline float prelu(float x, float slope) { return x > 0.0f ? x : slope * x; }
/// In double, where neither b - a nor its product with a weight overflows: exact at 0 and 1.
inline float lerp(float a, float b, float weight) {
  const double v = a, w = b, t = weight, d = w - v;
  return static_cast<float>(t < 0.5 || std::isinf(d) ? v + t * d : w - d * (1.0 - t));
}

}  // namespace eglantine::cpu_math
