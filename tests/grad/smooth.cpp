#include "grad/smooth.hpp"

#include <cmath>

#include "eglantine/ops.hpp"

namespace eglantine::test {

namespace {

/// Rows of numbers.
struct Matrix {
  size_t rows, columns;
  HyperDuals values;
  HyperDual& at(size_t row, size_t column) { return values[row * columns + column]; }
  const HyperDual& at(size_t row, size_t column) const { return values[row * columns + column]; }
};

Matrix matrix_of(size_t rows, size_t columns, const std::function<HyperDual(size_t row, size_t column)>& value) {
  Matrix made{rows, columns, {}};
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) made.values.push_back(value(i, j));
  return made;
}

Matrix of_argument(const HyperDuals& x) { return {smooth_rows, smooth_columns, x}; }

HyperDual total(const HyperDuals& x) {
  HyperDual sum = 0;
  for (const HyperDual& each : x) sum = sum + each;
  return sum;
}

HyperDual total(const Matrix& x, HyperDual (*f)(const HyperDual&)) {
  HyperDual sum = 0;
  for (const HyperDual& each : x.values) sum = sum + f(each);
  return sum;
}

Matrix transposed(const Matrix& x) {
  return matrix_of(x.columns, x.rows, [&](size_t i, size_t j) { return x.at(j, i); });
}

Matrix product(const Matrix& a, const Matrix& b) {
  return matrix_of(a.rows, b.columns, [&](size_t i, size_t j) {
    HyperDual sum = 0;
    for (size_t k = 0; k < a.columns; ++k) sum = sum + a.at(i, k) * b.at(k, j);
    return sum;
  });
}

HyperDuals row_of(const Matrix& x, size_t row) {
  const auto first = x.values.begin() + static_cast<std::ptrdiff_t>(row * x.columns);
  return {first, first + static_cast<std::ptrdiff_t>(x.columns)};
}

Matrix softmax(const Matrix& x) {
  const Matrix raised = matrix_of(x.rows, x.columns, [&](size_t i, size_t j) { return exp(x.at(i, j)); });
  return matrix_of(x.rows, x.columns, [&](size_t i, size_t j) { return raised.at(i, j) / total(row_of(raised, i)); });
}

HyperDual mean(const HyperDuals& x) { return total(x) / static_cast<double>(x.size()); }

HyperDual variance(const HyperDuals& x) {
  HyperDual sum = 0;
  for (const HyperDual& each : x) sum = sum + (each - mean(x)) * (each - mean(x));
  return sum / static_cast<double>(x.size());
}

HyperDual square(const HyperDual& x) { return x * x; }

HyperDual of_products(const HyperDuals& x) {
  const Matrix a = of_argument(x), b = product(a, transposed(a));
  return total(product(matrix_of(2, 2, [&](size_t i, size_t j) { return tanh(b.at(i, j)); }), a), square);
}

HyperDual of_softmax(const HyperDuals& x) {
  const Matrix shares = softmax(of_argument(x));
  return total(shares, [](const HyperDual& p) { return p * log(p); });
}

HyperDual of_elements(const HyperDuals& x) {
  return total(of_argument(x), [](const HyperDual& v) { return exp(sin(v)) * tanh(v + 0.5) / (2 + v * v); });
}

/// The spread of each row times the product of its elements, and the squares of its running sums.
HyperDual of_reductions(const HyperDuals& x) {
  HyperDual sum = 0;
  for (size_t i = 0; i < smooth_rows; ++i) {
    const HyperDuals row = row_of(of_argument(x), i);
    HyperDual factors = 1, running = 0;
    for (const HyperDual& each : row) {
      factors = factors * (each + 1.5);
      running = running + each;
      sum = sum + square(running);
    }
    sum = sum + pow(variance(row) + 1, 0.5) * factors;
  }
  return sum;
}

/// x of two channels and four elements, by x as two kernels of two channels and two elements; then of each row y
/// exp(y), standardized.
HyperDual of_convolution(const HyperDuals& x) {
  const Matrix a = of_argument(x);
  const Matrix y = matrix_of(2, 3, [&](size_t out, size_t place) {
    HyperDual sum = 0;
    for (size_t in = 0; in < 2; ++in)
      for (size_t k = 0; k < 2; ++k) sum = sum + a.at(in, place + k) * x[out * 4 + in * 2 + k];
    return sum;
  });
  HyperDual sum = 0;
  for (size_t i = 0; i < 2; ++i)
    for (const HyperDual& each : row_of(y, i))
      sum = sum + exp((each - mean(row_of(y, i))) * pow(variance(row_of(y, i)) + 0.25, -0.5));
  return sum;
}

/// Of the rows to themselves, whose values are their squares.
HyperDual of_attention(const HyperDuals& x) {
  const Matrix a = of_argument(x), scores = product(a, transposed(a));
  const Matrix shares = softmax(matrix_of(2, 2, [&](size_t i, size_t j) { return 0.5 * scores.at(i, j); }));
  return total(product(shares, matrix_of(2, 4, [&](size_t i, size_t j) { return square(a.at(i, j)); })),
               [](const HyperDual& v) { return sin(v); });
}

/// The cubes of the largest of neighbours of x, padded with 0.1, and of x's columns 3, 0, 3 from below.
HyperDual of_movements(const HyperDuals& x) {
  const Matrix a = of_argument(x);
  HyperDual sum = 0;
  for (size_t i = 0; i < smooth_rows; ++i) {
    HyperDuals padded = row_of(a, i);
    padded.insert(padded.begin(), 0.1);
    for (size_t j = 0; j + 1 < padded.size(); ++j)
      sum = sum + pow(padded[j].real() > padded[j + 1].real() ? padded[j] : padded[j + 1], 3);
    for (const size_t column : {3, 0, 3}) sum = sum + pow(a.at(1 - i, column) * a.at(i, column) + 2, 3);
  }
  return sum;
}

}  // namespace

const std::vector<SmoothFunction>& smooth_functions() {
  using eglantine::square;
  static const std::vector<SmoothFunction> all{
      {"products", [](const Tensor& x) { return sum(square(matmul(tanh(matmul(x, x.transpose(0, 1))), x))); },
       of_products},
      {"softmax", [](const Tensor& x) { return sum(eglantine::softmax(x, 1) * log_softmax(x, 1)); }, of_softmax},
      {"element-wise", [](const Tensor& x) { return sum(exp(sin(x)) * tanh(x + 0.5F) / (2 + square(x))); },
       of_elements},
      {"reductions",
       [](const Tensor& x) { return sum(sqrt(var(x, 1) + 1) * prod(x + 1.5F, 1)) + sum(square(cumsum(x, 1))); },
       of_reductions},
      {"convolution",
       [](const Tensor& x) {
         const Tensor y = conv(x.reshape({1, 2, 4}), x.reshape({2, 2, 2}));
         return sum(exp(layer_norm(y, {2}, {}, {}, 0.25F)));
       },
       of_convolution},
      {"attention", [](const Tensor& x) { return sum(sin(scaled_dot_product_attention(x, x, square(x)))); },
       of_attention},
      {"movements",
       [](const Tensor& x) {
         const Tensor largest = max_pool(pad(x, {{0, 0}, {1, 0}}, 0.1).unsqueeze(0), {2}, {.stride = 1});
         const Tensor columns = take(x, Tensor::from({3, 0, 3}, {3}, x.device()), 1);
         return sum(pow(largest, 3)) + sum(pow(columns.flip({0}) * columns + 2, 3));
       },
       of_movements},
  };
  return all;
}

}  // namespace eglantine::test
