#pragma once

#include <cmath>
#include <limits>

/// The part of reference_math.hpp for inverse, hyperbolic, error and gamma functions, real functions of two and three
/// arguments, and activations.
namespace eglantine::reference {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr long double pi = 3.14159265358979323846264338327950288L;

inline double asin(double x) { return std::asin(x); }
inline double acos(double x) { return std::acos(x); }
inline double atan(double x) { return std::atan(x); }
inline double atan2(double y, double x) { return std::atan2(y, x); }
inline double sinh(double x) { return std::sinh(x); }
inline double cosh(double x) { return std::cosh(x); }
inline double asinh(double x) { return std::asinh(x); }
inline double acosh(double x) { return std::acosh(x); }
inline double atanh(double x) { return std::atanh(x); }
inline double exp10(double x) { return static_cast<double>(std::pow(10.0L, static_cast<long double>(x))); }
inline double log10(double x) { return x < 0 ? nan : std::log10(x); }
inline double cbrt(double x) { return std::cbrt(x); }
inline double rad2deg(double x) { return static_cast<double>(x * 180 / pi); }
inline double deg2rad(double x) { return static_cast<double>(x * pi / 180); }
inline double erfc(double x) { return std::erfc(x); }

/// By Newton's method on erf, or on erfc where erf is near 1.
inline double erfinv(double x) {
  const long double a = std::fabs(static_cast<long double>(x));
  if (std::isnan(x) || a > 1) return nan;
  if (a == 0 || a == 1) return a == 0 ? x : std::copysign(infinity, x);
  long double y = a < 0.5L ? a : std::sqrt(-std::log(1 - a));
  for (int step = 0; step < 12; ++step) {
    const long double over = a < 0.5L ? std::erf(y) - a : (1 - a) - std::erfc(y);
    y -= over * std::sqrt(pi) / 2 * std::exp(y * y);
  }
  return static_cast<double>(std::copysign(y, static_cast<long double>(x)));
}

inline double lgamma(double x) { return std::lgamma(x); }

/// By its recurrence up to 20, and the asymptotic series from there.
inline double digamma(double x) {
  if (x == 0) return std::copysign(infinity, -x);
  if (std::isnan(x) || x == -infinity || (x < 0 && std::floor(x) == x)) return nan;
  if (x < 0) {
    const long double turn = pi * (static_cast<long double>(x) - std::round(x));
    return static_cast<double>(digamma(1 - x) - pi * std::cos(turn) / std::sin(turn));
  }
  long double sum = 0, z = x;
  for (; z < 20; z += 1) sum += 1 / z;
  const long double v = 1 / (z * z);
  const long double series =
      v * (1.0L / 12 - v * (1.0L / 120 - v * (1.0L / 252 - v * (1.0L / 240 - v * (1.0L / 132 - v * 691.0L / 32760)))));
  return static_cast<double>(std::log(z) - 0.5L / z - series - sum);
}

// ---- two and three arguments

inline double hypot(double x, double y) { return std::hypot(x, y); }
inline double copysign(double x, double y) { return std::copysign(x, y); }
inline double logaddexp(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  const long double m = std::fmax(x, y), d = std::fabs(static_cast<long double>(x) - y);
  return static_cast<double>(std::isinf(m) ? m : m + std::log1p(std::exp(-d)));
}
inline double logaddexp2(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  const long double m = std::fmax(x, y), d = std::fabs(static_cast<long double>(x) - y);
  return static_cast<double>(std::isinf(m) ? m : m + std::log1p(std::exp2(-d)) / std::log(2.0L));
}
inline double xlogy(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return nan;
  return x == 0 ? 0 : (y < 0 ? nan : x * std::log(y));
}
inline double prelu(double x, double slope) { return x > 0 ? x : slope * x; }
/// Weighted, as a + weight (b - a) would lose a small b beside a large a; where one is infinite by that formula.
inline double lerp(double a, double b, double weight) {
  const long double v = a, w = b, t = weight;
  const bool finite = std::isfinite(v) && std::isfinite(w) && std::isfinite(t);
  return static_cast<double>(finite ? v * (1 - t) + w * t : v + t * (w - v));
}

// ---- activations

inline double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
inline double log_sigmoid(double x) { return -softplus(-x); }
inline double selu(double x) {
  const double scale = 1.0507009873554804934193349852946, alpha = 1.6732632423543772848170429916717;
  return scale * (x > 0 ? x : alpha * std::expm1(x));
}
inline double gelu_tanh(double x) {
  if (std::isinf(x)) return x > 0 ? x : 0;
  const long double v = x, u = std::sqrt(8 / pi) * (v + 0.044715L * v * v * v);
  return static_cast<double>(v / (1 + std::exp(-u)));
}
inline double relu6(double x) { return x < 0 ? 0 : (x > 6 ? 6 : x); }
inline double hardsigmoid(double x) { return relu6(x + 3) / 6; }
inline double hardswish(double x) { return x == -infinity ? 0 : x * hardsigmoid(x); }
inline double mish(double x) {
  if (std::isinf(x)) return x > 0 ? x : 0;
  return static_cast<double>(x * std::tanh(std::log1p(std::exp(static_cast<long double>(x)))));
}
inline double softsign(double x) { return std::isinf(x) ? std::copysign(1.0, x) : x / (1 + std::fabs(x)); }
/// Below 0.05 by the series, of which the subtraction would leave nothing.
inline double tanhshrink(double x) {
  const long double v = x, z = v * v;
  if (z < 0.0025L) return static_cast<double>(v * z * (1 / 3.0L - z * (2 / 15.0L - z * (17 / 315.0L - z * 62 / 2835))));
  return static_cast<double>(v - std::tanh(v));
}

}  // namespace eglantine::reference
