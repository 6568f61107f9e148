#include <numbers>

#include "eglantine/ops.hpp"
#include "grad/rules.hpp"
#include "graph/op/op_info.hpp"
#include "verbs/build.hpp"

/// The derivatives of the operation table's rows.
namespace eglantine::derivatives {

namespace {

constexpr float ln_2 = std::numbers::ln2_v<float>, ln_10 = std::numbers::ln10_v<float>,
                root_half = 1 / std::numbers::sqrt2_v<float>, two_over_root_pi = 2 * std::numbers::inv_sqrtpi_v<float>,
                selu_scale = 1.05070098735548F, selu_alpha = 1.67326324235437F;

/// Of the standard normal distribution.
Tensor normal_density(const Tensor& x) { return exp(square(x) * -0.5) * (two_over_root_pi * root_half * 0.5F); }

Tensor slope_of_gelu(const Tensor& x) { return verbs::elementwise(Op::gelu_slope, x); }

/// gelu_tanh is x (1 + tanh u) / 2, u = c (x + 0.044715 x^3).
Tensor slope_of_gelu_tanh(const Tensor& x) {
  constexpr float c = two_over_root_pi * root_half, cubic = 0.044715F;
  const Tensor t = tanh(c * (x + cubic * x * square(x)));
  return 0.5 * (1 + t) + 0.5 * x * (1 - square(t)) * (c * (1 + 3 * cubic * square(x)));
}

/// mish is x tanh(softplus(x)).
Tensor slope_of_mish(const Tensor& x) {
  const Tensor t = tanh(softplus(x));
  return t + x * (1 - square(t)) * sigmoid(x);
}

/// The derivative of digamma, of verbs, so that it has derivatives itself. From 1/2 up by trigamma(x) = 1 / x^2 +
/// trigamma(x + 1) six times and the asymptotic series; below by trigamma(x) = (pi / sin(pi x))^2 - trigamma(1 - x).
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 6.4.6, 6.4.7 and 6.4.12. Within 2e-6 relative, below 1/2
/// of the larger of the two terms; infinity at 0, -1, -2, ...
Tensor trigamma(const Tensor& x) {
  const Tensor below = x < 0.5, above = where(below, 1 - x, x), r = reciprocal(above + 6), r2 = square(r);
  Tensor sum = r + 0.5 * r2 + r * r2 * (1.0 / 6 - r2 * (1.0 / 30 - r2 * (1.0 / 42 - r2 * (1.0 / 30))));
  for (int i = 5; i >= 0; --i) sum = sum + square(reciprocal(above + i));
  const Tensor fraction = where(below, x - round(x), 0.5);  // sin(pi x) of a large x would lose its digits
  return where(below, square(std::numbers::pi_v<float> / sin(std::numbers::pi_v<float> * fraction)) - sum, sum);
}

/// Stands where an operation has no derivative.
struct None {
  std::string_view function, name;
  operator Tensor() const { fail_without(function, name); }
};

}  // namespace

#define EG_PARTIAL(name, formula)                                        \
  +[](const Reading& reading) -> Tensor {                                \
    [[maybe_unused]] const auto& [x, y, z, result, g, caller] = reading; \
    [[maybe_unused]] const Tensor zero;                                  \
    [[maybe_unused]] const None none{caller, #name};                     \
    return formula;                                                      \
  }
#define EG_DERIVATIVE(name, by_x, by_y, by_z) \
  case Op::name:                              \
    return {EG_PARTIAL(name, by_x), EG_PARTIAL(name, by_y), EG_PARTIAL(name, by_z)};
#define EG_ELEMENTWISE(...)
#define EG_REDUCTION(...)

std::array<Partial, 3> partials_of(std::string_view function, Op op) {
  switch (op) {
#include "ops.def"
    default:
      fail_without(function, name_of(op));
  }
}

#undef EG_PARTIAL
#undef EG_DERIVATIVE
#undef EG_ELEMENTWISE
#undef EG_REDUCTION

}  // namespace eglantine::derivatives
