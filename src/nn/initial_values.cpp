#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check/check.hpp"
#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"

namespace eglantine::nn {

namespace {

struct Fans {
  double in, out;
};

Fans fans_of(std::string_view function, const Shape& shape) {
  if (shape.rank() < 2) check::fail<ShapeError>(function, "weights are (out, in, kernel...), got ", to_string(shape));
  double kernel = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) kernel *= static_cast<double>(shape[axis]);
  return {static_cast<double>(shape[1]) * kernel, static_cast<double>(shape[0]) * kernel};
}

Tensor within(const Shape& shape, uint64_t seed, double bound) { return uniform_(shape, seed, -bound, bound); }

/// Makes `count` rows of so many numbers orthogonal, of length 1, from the first on: modified Gram-Schmidt, twice for
/// each row, since what is left of a row that nearly lies in the others' span is not yet orthogonal to them.
void orthogonalise(std::vector<double>& rows, int64_t count, int64_t length) {
  for (int64_t i = 0; i < count; ++i) {
    double* row = &rows[static_cast<size_t>(i * length)];
    for (int64_t k = 0; k < 2 * i; ++k) {
      const double* other = &rows[static_cast<size_t>(k % i * length)];
      const double along = std::inner_product(row, row + length, other, 0.0);
      for (int64_t j = 0; j < length; ++j) row[j] -= along * other[j];
    }
    const double norm = std::sqrt(std::inner_product(row, row + length, row, 0.0));
    // Zeros, once in 2^24 seeds of one number, would divide by 0.
    if (norm == 0) row[i] = 1;
    for (int64_t j = 0; j < length && norm > 0; ++j) row[j] /= norm;
  }
}

}  // namespace

Tensor uniform_(Shape shape, uint64_t seed, double low, double high) {
  if (!(low <= high))
    check::fail<Error>("nn::uniform_", "low is at most high, got ", Scalar(low).text(), " and ", Scalar(high).text());
  return uniform(shape, seed) * (high - low) + low;
}

Tensor normal_(Shape shape, uint64_t seed, double mean, double deviation) {
  if (!(deviation >= 0)) check::fail<Error>("nn::normal_", "deviation is at least 0, got ", Scalar(deviation).text());
  return normal(shape, seed) * deviation + mean;
}

Tensor xavier_uniform(Shape shape, uint64_t seed, double gain) {
  const Fans fans = fans_of("nn::xavier_uniform", shape);
  return within(shape, seed, gain * std::sqrt(6 / (fans.in + fans.out)));
}

Tensor xavier_normal(Shape shape, uint64_t seed, double gain) {
  const Fans fans = fans_of("nn::xavier_normal", shape);
  return normal_(shape, seed, 0, gain * std::sqrt(2 / (fans.in + fans.out)));
}

Tensor kaiming_uniform(Shape shape, uint64_t seed) {
  return within(shape, seed, std::sqrt(6 / fans_of("nn::kaiming_uniform", shape).in));
}

Tensor kaiming_normal(Shape shape, uint64_t seed) {
  return normal_(shape, seed, 0, std::sqrt(2 / fans_of("nn::kaiming_normal", shape).in));
}

/// The rows of a matrix of normal numbers, made orthogonal in turn, are uniformly distributed: as the Q of a QR
/// decomposition whose R has a positive diagonal.
Tensor orthogonal(Shape shape, uint64_t seed, double gain) {
  if (shape.rank() < 2) check::fail<ShapeError>("nn::orthogonal", "a matrix is (rows, ...), got ", to_string(shape));
  check::require_countable("nn::orthogonal", shape);
  if (!std::isfinite(static_cast<float>(gain)))
    check::fail<Error>("nn::orthogonal", "gain is finite as f32, got ", Scalar(gain).text());
  if (shape.elements() == 0) return zeros(shape);
  const int64_t rows = shape[0], columns = shape.elements() / rows;
  const int64_t count = std::min(rows, columns), length = std::max(rows, columns);
  std::vector<double> drawn = normal({count, length}, seed).to_vector<double>();
  orthogonalise(drawn, count, length);
  for (double& number : drawn) number *= gain;
  const Tensor matrix = Tensor::from(drawn, {count, length});
  return (rows == count ? matrix : matrix.transpose(0, 1)).reshape(shape);
}

}  // namespace eglantine::nn
