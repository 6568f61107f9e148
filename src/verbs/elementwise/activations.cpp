#include "eglantine/verbs/activations.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "verbs/build.hpp"

/// Activations with parameters; those without are rows of ops.def.
namespace eglantine {

namespace {

/// A parameter as f32, named in errors.
float finite(std::string_view function, std::string_view name, double value) {
  const auto rounded = static_cast<float>(value);
  if (!std::isfinite(rounded)) check::fail<Error>(function, name, " is a finite float, got ", Scalar(value).text());
  return rounded;
}

float finite_from_zero(std::string_view function, std::string_view name, double value) {
  if (value < 0) check::fail<Error>(function, name, " is not negative, got ", Scalar(value).text());
  return finite(function, name, value);
}

float fitting(std::string_view function, Scalar value) {
  return std::bit_cast<float>(value.bits(DType::f32, function));
}

/// Where x > 0 x itself, else `other`; NaN takes `other`, which keeps it.
Tensor above_zero(const Tensor& x, const Tensor& other) { return where(gt(x, 0.0F), x, other); }

}  // namespace

Tensor elu(const Tensor& x, double alpha) {
  const float factor = finite("elu", "alpha", alpha);
  const Tensor v = verbs::to_real(x);
  return above_zero(v, factor * expm1(v));
}

Tensor celu(const Tensor& x, double alpha) {
  const float factor = finite("celu", "alpha", alpha);
  if (factor == 0) check::fail<Error>("celu", "alpha is not 0: x is divided by it");
  const Tensor v = verbs::to_real(x);
  return above_zero(v, factor * expm1(v / factor));
}

Tensor leaky_relu(const Tensor& x, double slope) {
  const float factor = finite("leaky_relu", "the slope", slope);
  const Tensor v = verbs::to_real(x);
  return above_zero(v, factor * v);
}

Tensor hardtanh(const Tensor& x, double low, double high) {
  if (!(low <= high))
    check::fail<Error>("hardtanh", "low <= high is wanted, got ", Scalar(low).text(), " and ", Scalar(high).text());
  return clip(verbs::to_real(x), fitting("hardtanh", low), fitting("hardtanh", high));
}

Tensor softshrink(const Tensor& x, double lambda) {
  const float bound = finite_from_zero("softshrink", "lambda", lambda);
  const Tensor v = verbs::to_real(x);
  return v - clip(v, -bound, bound);
}

Tensor hardshrink(const Tensor& x, double lambda) {
  const float bound = finite_from_zero("hardshrink", "lambda", lambda);
  const Tensor v = verbs::to_real(x);
  return where(le(abs(v), bound), 0.0F, v);
}

Tensor threshold(const Tensor& x, Scalar at, Scalar value) {
  const float bound = fitting("threshold", at), replacement = fitting("threshold", value);
  if (std::isnan(bound)) check::fail<Error>("threshold", "nothing is above NaN; give a number to compare with");
  const Tensor v = verbs::to_real(x);
  return where(le(v, bound), replacement, v);
}

Tensor nan_to_num(const Tensor& x, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  constexpr float largest = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
  const float missing = fitting("nan_to_num", nan), above = fitting("nan_to_num", posinf.value_or(largest)),
              below = fitting("nan_to_num", neginf.value_or(-largest));
  if (x.dtype() != DType::f32) return x;
  const Tensor bounded = where(eq(x, infinity), above, where(eq(x, -infinity), below, x));
  return where(isnan(x), missing, bounded);
}

}  // namespace eglantine
