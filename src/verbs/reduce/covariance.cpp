#include <algorithm>

#include "eglantine/verbs/statistics.hpp"
#include "verbs/reduce/row.hpp"

/// Matrices of products of rows, and diagonals.
namespace eglantine {

namespace {

/// Variables as rows of f32.
Tensor variables_of(std::string_view function, const Tensor& x) {
  if (x.rank() > 2)
    check::fail<ShapeError>(function, "takes one variable, or a matrix whose rows are variables, got shape ",
                            to_string(x.shape()));
  const Tensor rows = verbs::to_f32(x.rank() == 2 ? x : x.reshape({1, x.size()}));
  verbs::require_nonempty(function, rows, 1);
  return rows;
}

Tensor covariances(std::string_view function, const Tensor& rows, double correction) {
  if (rows.shape()[0] == 1) return verbs::variance(function, rows, 1, true, correction);
  const Tensor centred = rows - mean(rows, 1, true);
  const double divisor = static_cast<double>(rows.shape()[1]) - correction;
  return matmul(centred, centred.transpose(0, 1)) / static_cast<float>(std::max(divisor, 0.0));
}

/// The upper triangle of c and its mirror image: a GPU may add the products of c[i, j] in another order than those of
/// c[j, i].
Tensor mirrored(const Tensor& c) {
  const Tensor number = arange(0, c.shape()[0], 1, DType::i32, c.device());
  return where(number.unsqueeze(1) > number, c.transpose(0, 1), c);
}

/// A matrix of f32 in the rank that x asks for, rounded to its dtype.
Tensor as_given(const Tensor& x, const Tensor& matrix) {
  return (x.rank() == 2 ? matrix : matrix.reshape({})).astype(verbs::real_dtype(x));
}

}  // namespace

Tensor trace(const Tensor& x) {
  if (x.rank() < 2) check::fail<ShapeError>("trace", "takes matrices, got shape ", to_string(x.shape()));
  return sum(diagonal(x, 0, -2, -1), -1);
}

Tensor cov(const Tensor& x, double correction) {
  verbs::require_correction("cov", correction);
  return as_given(x, covariances("cov", variables_of("cov", x), correction));
}

Tensor corrcoef(const Tensor& x) {
  // Rows of one scale, whatever x's, so that no product of variances overflows.
  const Tensor z = verbs::standardized(variables_of("corrcoef", x), 1, 0);
  const Tensor c = matmul(z, z.transpose(0, 1)), variances = diagonal(c);
  return as_given(x, clip(mirrored(c) / sqrt(variances.unsqueeze(1) * variances), -1.0F, 1.0F));
}

}  // namespace eglantine
