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

/// The nearest number of a float's dtype.
float fitting(std::string_view function, Scalar value, DType dtype = DType::f32) {
  return std::bit_cast<float>(value.bits(dtype, function));
}

float largest_of(DType dtype) {
  if (dtype == DType::f16) return half::from_bits(0x7bff);
  return dtype == DType::bf16 ? static_cast<float>(bfloat16::from_bits(0x7f7f)) : std::numeric_limits<float>::max();
}

/// Where v, x as f32, is above 0 x itself, else `other`; NaN takes `other`, which keeps it.
Tensor above_zero(const Tensor& x, const Tensor& v, const Tensor& other) {
  return where(gt(v, 0.0F), v, other).astype(verbs::real_dtype(x));
}

}  // namespace

Tensor elu(const Tensor& x, double alpha) {
  const float factor = finite("elu", "alpha", alpha);
  const Tensor v = verbs::to_f32(x);
  return above_zero(x, v, factor * expm1(v));
}

Tensor celu(const Tensor& x, double alpha) {
  const float factor = finite("celu", "alpha", alpha);
  if (factor == 0) check::fail<Error>("celu", "alpha is not 0: x is divided by it");
  const Tensor v = verbs::to_f32(x);
  return above_zero(x, v, factor * expm1(v / factor));
}

Tensor leaky_relu(const Tensor& x, double slope) {
  const float factor = finite("leaky_relu", "the slope", slope);
  const Tensor v = verbs::to_f32(x);
  return above_zero(x, v, factor * v);
}

Tensor hardtanh(const Tensor& x, double low, double high) {
  if (!(low <= high))
    check::fail<Error>("hardtanh", "low <= high is wanted, got ", Scalar(low).text(), " and ", Scalar(high).text());
  const Tensor kept = clip(verbs::to_f32(x), fitting("hardtanh", low), fitting("hardtanh", high));
  return kept.astype(verbs::real_dtype(x));
}

Tensor softshrink(const Tensor& x, double lambda) {
  const float bound = finite_from_zero("softshrink", "lambda", lambda);
  const Tensor v = verbs::to_f32(x);
  return (v - clip(v, -bound, bound)).astype(verbs::real_dtype(x));
}

Tensor hardshrink(const Tensor& x, double lambda) {
  const float bound = finite_from_zero("hardshrink", "lambda", lambda);
  const Tensor v = verbs::to_f32(x);
  return where(le(abs(v), bound), 0.0F, v).astype(verbs::real_dtype(x));
}

Tensor threshold(const Tensor& x, Scalar at, Scalar value) {
  const DType dtype = verbs::real_dtype(x);
  const float bound = fitting("threshold", at), replacement = fitting("threshold", value, dtype);
  if (std::isnan(bound)) check::fail<Error>("threshold", "nothing is above NaN; give a number to compare with");
  const Tensor v = verbs::to_f32(x);
  return where(le(v, bound), replacement, v).astype(dtype);
}

Tensor nan_to_num(const Tensor& x, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  const DType dtype = verbs::real_dtype(x);
  const float largest = largest_of(dtype), infinity = std::numeric_limits<float>::infinity();
  const float missing = fitting("nan_to_num", nan, dtype),
              above = fitting("nan_to_num", posinf.value_or(largest), dtype),
              below = fitting("nan_to_num", neginf.value_or(-largest), dtype);
  if (!is_float(x.dtype())) return x;
  const Tensor bounded = where(eq(x, infinity), above, where(eq(x, -infinity), below, x));
  return where(isnan(x), missing, bounded);
}

}  // namespace eglantine
