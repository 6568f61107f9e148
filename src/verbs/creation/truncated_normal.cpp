#include <cmath>

#include "verbs/creation/random.hpp"

namespace eglantine::verbs {

namespace {

/// u and 1 - u of words of so many bits: the smaller of them, and whether it is u.
struct Smaller {
  Tensor is_low, value;
};
Smaller smaller_of(const Tensor& words, int bits) {
  const Tensor low = words < (1U << (bits - 1));
  const Tensor smaller = where(low, words, words ^ (0xffffffffU >> (32 - bits)));
  return {low, (smaller.astype(DType::f32) + 0.5) * std::ldexp(1.0, -bits)};
}

/// P(X < x) of a standard normal X.
double below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// P(low < X < high), from the tail that loses nothing.
double between(double low, double high) { return low > 0 ? below(-low) - below(-high) : below(high) - below(low); }

/// The quantile of P(X < low) + u mass, u the words' uniform number, where that is less than 1/2; else of what is
/// above.
Tensor by_quantile(const Tensor& words, double low, double high) {
  const auto [is_low, smaller] = smaller_of(words, 32);
  const double mass = between(low, high);
  const Tensor u = where(is_low, smaller, 1 - smaller), v = where(is_low, 1 - smaller, smaller);
  const Tensor left = u * mass + below(low), right = v * mass + below(-high);
  const Tensor is_left = left < right;
  const Tensor quantile = elementwise(Op::normal_quantile, where(is_left, left, right));
  return where(is_left, quantile, -quantile);
}

/// x times the ratio of P(X > x) and the density, by its asymptotic series, for x >= 10: within 1e-8.
double mills(double x) {
  const double y = 1 / (x * x);
  return 1 - y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y * (1 - 9 * y))));
}

/// X given low < X < high, 10 <= low, by the exponential number E = -log(P(X > x) / P(X > low)), cut off at high:
///   E = (x^2 - low^2) / 2 + log(x / low) - log(mills(x) / mills(low)).
/// With k = 1 / low^2 and x^2 = low^2 (1 + z) that is z = 2kE - k (log(1 + z) - s(z)), s = 2 log(mills(x) /
/// mills(low)). One step of Newton's from z = 2kE leaves an error of 1e-8 where E is 1.
Tensor of_tail(const Tensor& words, double low, double high) {
  const double k = 1 / (low * low);
  const double beyond = -(high - low) * (high + low) / 2 + std::log(low / high * mills(high) / mills(low));
  const double mass = -std::expm1(beyond);  // P(X < high | X > low)
  const auto [is_low, smaller] = smaller_of(words, 32);
  const Tensor part = smaller * mass;
  const Tensor t = where(is_low, log1p(-part), log(part + (1 - mass))) * (-2 * k);
  const Tensor inverse = 1 / (t + 1);
  const Tensor s = t * inverse * (1 - (inverse + 1) * (2.5 * k)) * (2 * k);
  const Tensor z = t - (log1p(t) - s) * k / (inverse * k + 1);
  return sqrt(z + 1) * low;
}

}  // namespace

Tensor exponential_of(const Tensor& words, int bits) {
  const auto [is_low, smaller] = smaller_of(words, bits);
  return -where(is_low, log1p(-smaller), log(smaller));
}

Tensor truncated_normal_of(const Tensor& words, double low, double high) {
  constexpr double tail = 10;
  const Tensor x = low >= tail     ? of_tail(words, low, high)
                   : high <= -tail ? -of_tail(words, -high, -low)
                                   : by_quantile(words, low, high);
  return clip(x, low, high);  // rounding may pass a bound by a float
}

}  // namespace eglantine::verbs
