#include "verbs/elementwise/powers.hpp"

#include <cmath>

#include "verbs/build.hpp"

namespace eglantine::verbs {

namespace {

// An inner product overflows, or is denormal, only where the power is out of range too: negative powers are those of
// 1 / x, not 1 / those of x.
Tensor cube(const Tensor& x) { return square(x) * x; }

/// x to the power halves / 2, of f32.
std::optional<Tensor> of_halves(const Tensor& x, int halves) {
  switch (halves) {
    case 1:
      return elementwise(Op::pow_half, x);
    case 3:
      return elementwise(Op::pow_three_halves, x);
    case -1:
      return elementwise(Op::pow_minus_half, x);
    case -2:
      return reciprocal(x);
    case -3:
      return cube(elementwise(Op::pow_minus_half, x));
    case -4:
      return square(reciprocal(x));
    case -6:
      return cube(reciprocal(x));
    default:
      return std::nullopt;
  }
}

std::optional<Tensor> of_whole(const Tensor& x, int exponent) {
  if (exponent == 3) return cube(x);
  if (exponent == 4) return square(square(x));
  return std::nullopt;
}

}  // namespace

std::optional<Tensor> power_of(const Tensor& x, double exponent) {
  if (x.dtype() == DType::boolean || std::abs(exponent) > 4 || 2 * exponent != std::trunc(2 * exponent))
    return std::nullopt;
  if (exponent == 1) return x;
  if (exponent == 2) return square(x);
  const Tensor wide = widened(x);
  std::optional<Tensor> power = of_whole(wide, static_cast<int>(exponent == std::trunc(exponent) ? exponent : 0));
  if (!power && is_float(x.dtype())) power = of_halves(wide, static_cast<int>(2 * exponent));
  if (power) power = power->astype(x.dtype());
  return power;
}

}  // namespace eglantine::verbs
