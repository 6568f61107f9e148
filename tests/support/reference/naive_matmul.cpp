#include <cmath>

#include "element_types.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test::naive {
namespace {

/// Operands of any rank as (batch..., m, k) and (batch..., k, n) with a common batch; rank-1 operands gain an axis.
struct Product {
  Array a, b;
  Dims batch;
  int64_t m, n, k;
  bool drop_m, drop_n;
};

Array with_batch(const Array& x, const Dims& batch) {
  Dims shape = batch;
  shape.insert(shape.end(), x.shape.end() - 2, x.shape.end());
  return expand(x, shape);
}

Product prepare(Array a, Array b) {
  const bool drop_m = a.rank() == 1;
  const bool drop_n = b.rank() == 1;
  if (drop_m) a.shape.insert(a.shape.begin(), 1);
  if (drop_n) b.shape.push_back(1);
  const Dims batch = broadcast(Dims(a.shape.begin(), a.shape.end() - 2), Dims(b.shape.begin(), b.shape.end() - 2));
  const int64_t m = a.shape.end()[-2];
  const int64_t k = a.shape.end()[-1];
  const int64_t n = b.shape.end()[-1];
  return {with_batch(a, batch), with_batch(b, batch), batch, m, n, k, drop_m, drop_n};
}

Dims result_shape(const Product& p) {
  Dims shape = p.batch;
  if (!p.drop_m) shape.push_back(p.m);
  if (!p.drop_n) shape.push_back(p.n);
  return shape;
}

using Term = double (*)(DType, double, double, double);

double add_product(DType dtype, double total, double a, double b) {
  if (is_float(dtype)) return total + a * b;
  const auto bits = [](double v) { return static_cast<uint32_t>(static_cast<int64_t>(v)); };
  return as_element(dtype, static_cast<double>(bits(total) + bits(a) * bits(b)));
}

double add_absolute(DType, double total, double a, double b) { return total + std::abs(a * b); }

Array multiply(const Array& a, const Array& b, Term term) {
  const Product p = prepare(a, b);
  Array out{counted(a.dtype), result_shape(p), {}};
  out.values.reserve(static_cast<size_t>(count(out.shape)));
  for (int64_t batch = 0; batch < count(p.batch); ++batch) {
    const double* left = p.a.values.data() + batch * p.m * p.k;
    const double* right = p.b.values.data() + batch * p.k * p.n;
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        double total = 0;
        for (int64_t k = 0; k < p.k; ++k) total = term(a.dtype, total, left[i * p.k + k], right[k * p.n + j]);
        out.values.push_back(total);
      }
  }
  return out;
}

}  // namespace

Array matmul(const Array& a, const Array& b) { return multiply(a, b, add_product); }
Array absolute_matmul(const Array& a, const Array& b) { return multiply(a, b, add_absolute); }

}  // namespace eglantine::test::naive
