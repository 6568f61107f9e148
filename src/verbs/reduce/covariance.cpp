#include <algorithm>

#include "eglantine/verbs/statistics.hpp"
#include "layout/layout.hpp"
#include "verbs/reduce/row.hpp"

/// Matrices of products of rows, and diagonals.
namespace eglantine {

namespace {

/// The diagonal of the last two axes, as the last one.
Tensor main_diagonal(const Tensor& x) {
  const Layout all = layout::contiguous(x.shape());
  const int kept = x.rank() - 2;
  Layout diagonal{Shape(x.shape().begin(), x.shape().begin() + kept), {}, 0};
  diagonal.shape.push_back(std::min(x.shape()[kept], x.shape()[kept + 1]));
  diagonal.strides.assign(all.strides.begin(), all.strides.begin() + kept);
  diagonal.strides.push_back(all.strides[static_cast<size_t>(kept)] + all.strides.back());
  return pend(make_view(x.node(), diagonal));
}

/// Variables as rows of f32.
Tensor variables_of(std::string_view function, const Tensor& x) {
  if (x.rank() > 2)
    check::fail<ShapeError>(function, "takes one variable, or a matrix whose rows are variables, got shape ",
                            to_string(x.shape()));
  const Tensor rows = verbs::to_real(x.rank() == 2 ? x : x.reshape({1, x.size()}));
  verbs::require_some(function, rows, 1);
  return rows;
}

Tensor covariances(std::string_view function, const Tensor& rows, double correction) {
  if (rows.shape()[0] == 1) return verbs::variance(function, rows, 1, true, correction);
  const Tensor centred = rows - mean(rows, 1, true);
  const double divisor = static_cast<double>(rows.shape()[1]) - correction;
  return matmul(centred, centred.transpose(0, 1)) / static_cast<float>(std::max(divisor, 0.0));
}

Tensor as_rank_of(const Tensor& x, const Tensor& matrix) { return x.rank() == 2 ? matrix : matrix.reshape({}); }

}  // namespace

Tensor trace(const Tensor& x) {
  if (x.rank() < 2) check::fail<ShapeError>("trace", "takes matrices, got shape ", to_string(x.shape()));
  return sum(main_diagonal(x), -1);
}

Tensor cov(const Tensor& x, double correction) {
  verbs::require_correction("cov", correction);
  return as_rank_of(x, covariances("cov", variables_of("cov", x), correction));
}

Tensor corrcoef(const Tensor& x) {
  const Tensor c = covariances("corrcoef", variables_of("corrcoef", x), 0);
  const Tensor deviations = sqrt(main_diagonal(c));
  return as_rank_of(x, clip(c / deviations.unsqueeze(1) / deviations.unsqueeze(0), -1.0F, 1.0F));
}

}  // namespace eglantine
