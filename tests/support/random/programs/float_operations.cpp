#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/random/programs/operations.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

/// What rounding to its dtype changes of a number of such size: more than half of the last place, and of f16's least.
double rounding(const Value& x, double size) {
  if (x.array.dtype == DType::f16) return size * 0x1p-11 + 0x1p-25;
  return x.array.dtype == DType::bf16 ? size * 0x1p-8 : 0;
}

Value add_values(const Value& a, const Value& b, double sign) {
  const Array value = naive::map(a.array, b.array, DType::f32, [&](double x, double y) { return x + sign * y; });
  const Array carried = naive::map(a.error, b.error, DType::f32, [](double x, double y) { return x + y; });
  return rounded(
      sign > 0 ? a.tensor + b.tensor : a.tensor - b.tensor, value,
      naive::map(value, carried, DType::f32, [](double v, double e) { return e + f32_eps * (std::abs(v) + e); }));
}

Value multiply_values(const Value& a, const Value& b) {
  const Array value = naive::map(a.array, b.array, DType::f32, [](double x, double y) { return x * y; });
  const Array left = naive::map(a.array, b.error, DType::f32, [](double x, double e) { return std::abs(x) * e; });
  const Array right = naive::map(a.error, b.array, DType::f32, [](double e, double y) { return e * std::abs(y); });
  const Array both = naive::map(a.error, b.error, DType::f32, [](double d, double e) { return d * e; });
  const Array carried =
      naive::map(left, right, both, DType::f32, [](double p, double q, double r) { return p + q + r; });
  return rounded(a.tensor * b.tensor, value, naive::map(value, carried, DType::f32, [](double v, double e) {
                   return e + f32_eps * (std::abs(v) + e);
                 }));
}

/// Of numbers fmax is maximum.
Value larger_of(const Value& a, const Value& b, const Tensor& tensor) {
  return rounded(tensor, naive::map(a.array, b.array, DType::f32, [](double x, double y) { return std::max(x, y); }),
                 naive::map(a.error, b.error, DType::f32, [](double d, double e) { return std::max(d, e); }));
}

/// A quarter of the way from a to b.
Value between(const Value& a, const Value& b) {
  const auto weighted = [](double x, double y) { return 0.75 * x + 0.25 * y; };
  const Array sizes =
      naive::map(a.array, b.array, DType::f32, [](double x, double y) { return std::abs(x) + std::abs(y); });
  return rounded(lerp(a.tensor, b.tensor, 0.25F), naive::map(a.array, b.array, DType::f32, weighted),
                 naive::map(sizes, naive::map(a.error, b.error, DType::f32, weighted), DType::f32,
                            [](double v, double e) { return e + 8 * f32_eps * (v + e); }));
}

/// Functions of two arguments that change by at most the sum of their changes.
Value two_of(const Value& a, const Value& b, const Tensor& tensor, double (*f)(double, double)) {
  const Array value = naive::map(a.array, b.array, DType::f32, f);
  const Array carried = naive::map(a.error, b.error, DType::f32, [](double d, double e) { return d + e; });
  return rounded(tensor, value, naive::map(value, carried, DType::f32, [](double v, double e) {
                   return e + 8 * f32_eps * (std::abs(v) + e) + 1e-6;
                 }));
}

/// Functions whose slope is at most one.
Value sine_of(const Value& x) {
  return rounded(sin(x.tensor), naive::map(x.array, DType::f32, [](double v) { return std::sin(v); }),
                 naive::map(x.error, DType::f32, [](double e) { return e + 1e-6; }));
}

Value tanh_of(const Value& x) {
  return rounded(tanh(x.tensor), naive::map(x.array, DType::f32, [](double v) { return std::tanh(v); }),
                 naive::map(x.error, DType::f32, [](double e) { return e + 8 * f32_eps; }));
}

Value absolute_of(const Value& x) {
  return rounded(abs(x.tensor), naive::map(x.array, DType::f32, [](double v) { return std::abs(v); }), x.error);
}

Value negative_of(const Value& x) {
  return rounded(-x.tensor, naive::map(x.array, DType::f32, [](double v) { return -v; }), x.error);
}

}  // namespace

Value rounded(const Tensor& tensor, Array value, const Array& error) {
  value.dtype = tensor.dtype();
  Value result{tensor, value, error};
  result.error =
      naive::map(value, error, DType::f32, [&](double v, double e) { return e + rounding(result, std::abs(v) + e); });
  return result;
}

Value float_sum(const Value& x, int64_t axis) {
  const Array absolutes = naive::sum_of_absolutes(x.array, {axis}, true);
  const Array errors = naive::sum(x.error, {axis}, true);
  return rounded(
      sum(x.tensor, {axis}, true), naive::sum(x.array, {axis}, true),
      naive::map(absolutes, errors, DType::f32, [](double s, double e) { return e + 140 * f32_eps * (s + e); }));
}

Value float_operation(int64_t which, const Value& a, const Value& b) {
  switch (which) {
    case 0:
      return add_values(a, b, 1);
    case 1:
      return add_values(a, b, -1);
    case 2:
      return multiply_values(a, b);
    case 3:
      return larger_of(a, b, maximum(a.tensor, b.tensor));
    case 4:
      return add_values(tanh_of(a), absolute_of(b), 1);
    case 5:
      return larger_of(a, b, fmax(a.tensor, b.tensor));
    case 6:
      return between(a, b);
    case 7:
      return two_of(a, b, hypot(a.tensor, b.tensor), [](double x, double y) { return std::hypot(x, y); });
    case 8:
      return two_of(a, b, logaddexp(a.tensor, b.tensor),
                    [](double x, double y) { return std::max(x, y) + std::log1p(std::exp(-std::abs(x - y))); });
    case 9:
      return multiply_values(sine_of(a), b);
    default:
      return multiply_values(negative_of(a), tanh_of(b));
  }
}

}  // namespace eglantine::test
