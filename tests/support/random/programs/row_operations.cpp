#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/random/programs/operations.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_convolution.hpp"
#include "support/reference/naive_einsum.hpp"
#include "support/reference/naive_statistics.hpp"

namespace eglantine::test {
namespace {

Array absolute(const Array& x) {
  return naive::map(x, DType::f32, [](double v) { return std::abs(v); });
}

Array add(const Array& a, const Array& b) {
  return naive::map(a, b, DType::f32, [](double x, double y) { return x + y; });
}

Array as_floats(Array x) {
  x.dtype = DType::f32;
  return x;
}

/// What is within its error of x.
Array most(const Value& x) { return add(absolute(x.array), x.error); }

/// Sums of products, by `f` of two arrays.
template <class F>
struct Products {
  const Value &a, &b;
  int64_t count;  ///< of each sum
  F f;

  /// |a| eb + ea |b| + ea eb, and count f32_eps of the absolute products.
  Array error() const {
    return naive::map(f(most(a), most(b)), f(absolute(a.array), absolute(b.array)), DType::f32,
                      [&](double s, double e) { return s - e + static_cast<double>(count) * f32_eps * s; });
  }
  Value value(const Tensor& tensor) const {
    return rounded(tensor, f(as_floats(a.array), as_floats(b.array)), error());
  }
};

Array convolved(const Array& x, const Array& w) { return naive::conv(x, w, {{1}, {1}, {{1, 1}}}); }

/// The largest along the last axis, beside each.
Array largest_of_rows(const Array& x) { return naive::max(x, {2}, true); }

Array transposed(const Array& x) { return naive::transpose(x, 1, 2); }

/// Shares that follow from scores which are off by up to e: by factors between exp(-2 e) and exp(2 e).
double of_shares(double e) { return std::expm1(2 * std::min(e, 10.0)); }

}  // namespace

Value product_with(const Value& x, const Value& w) {
  return Products{x, w, x.array.shape[2], naive::matmul}.value(matmul(x.tensor, w.tensor));
}

Value convolution_with(const Value& x, const Value& w) {
  return Products{x, w, 3 * x.array.shape[1], convolved}.value(conv(x.tensor, w.tensor, {.padding = 1}));
}

Value products_of_rows(const Value& x) {
  const Value turned{x.tensor.transpose(1, 2), transposed(x.array), transposed(x.error)};
  Value scores = product_with(x, turned);
  for (Array* part : {&scores.array, &scores.error})
    for (double& value : part->values) value /= 8;
  scores = rounded(scores.tensor * 0.125F, scores.array, scores.error);
  return rounded(tanh(scores.tensor), naive::map(scores.array, DType::f32, [](double v) { return std::tanh(v); }),
                 naive::map(scores.error, DType::f32, [](double e) { return std::min(e, 2.0) + 8 * f32_eps; }));
}

Value softmax_of(const Value& x) {
  const Array value = softmax_reference(as_floats(x.array), 2);
  return rounded(softmax(x.tensor, 2), value,
                 naive::map(value, largest_of_rows(x.error), DType::f32,
                            [](double y, double e) { return std::min(1.0, y * of_shares(e) + 2e-6); }));
}

/// (x - mean) / s, s = sqrt(var + 1/4): off by up to 2 e / s and by its own times 2 e / s, e the largest of its row.
Value normalised(const Value& x, bool written_out) {
  const Array floats = as_floats(x.array), value = standardized(floats, {2}, 0.25);
  const Array deviations =
      naive::map(naive::var(floats, {2}, true), DType::f32, [](double v) { return std::sqrt(v + 0.25); });
  const Array off = naive::map(largest_of_rows(most(x)), largest_of_rows(x.error), DType::f32,
                               [](double size, double e) { return 2 * e + 64 * f32_eps * size; });
  const Array error = naive::map(value, off, deviations, DType::f32, [](double y, double d, double s) {
    return (1 + std::abs(y)) * (d / std::max(0.5, s - d) + 2e-5);
  });
  if (!written_out) return rounded(layer_norm(x.tensor, {2}, {}, {}, 0.25F), value, error);
  const Tensor wide = x.tensor.astype(DType::f32);
  const Tensor scaled = (wide - mean(wide, {2}, true)) * rsqrt(var(wide, {2}, true) + 0.25F);
  return rounded(scaled.astype(x.tensor.dtype()), value, error);
}

/// Sums of v's elements in shares: off by what the shares are, and within v's elements.
Value attention_of(const Value& q, const Value& k, const Value& v, bool causal) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.array.shape[2]));
  const Value turned{k.tensor, transposed(k.array), transposed(k.error)};
  const Array scores = Products{q, turned, q.array.shape[2], naive::matmul}.error();
  const Array off = naive::map(largest_of_rows(scores), DType::f32, [&](double e) { return scale * e; });
  const naive::Masking how{nullptr, causal};
  const Array value = naive::attention(as_floats(q.array), as_floats(k.array), as_floats(v.array), scale, how);
  const Array sizes = naive::attention(as_floats(q.array), as_floats(k.array), most(v), scale, how);
  const Array carried = naive::attention(as_floats(q.array), as_floats(k.array), v.error, scale, how);
  const Array error = naive::map(sizes, carried, off, DType::f32,
                                 [](double s, double c, double e) { return (of_shares(e) + 8e-6) * s + c + 2e-6; });
  return rounded(scaled_dot_product_attention(q.tensor, k.tensor, v.tensor, {.causal = causal}), value, error);
}

Value converted(const Value& x, DType dtype) { return rounded(x.tensor.astype(dtype), x.array, x.error); }

}  // namespace eglantine::test
