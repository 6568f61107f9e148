#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "eglantine/verbs/statistics.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/planning/row_chains.hpp"
#include "verbs/own_rule.hpp"
#include "verbs/reduce/row.hpp"

/// Variances, and means with them.
namespace eglantine {

namespace verbs {

void require_correction(std::string_view function, double correction) {
  if (!std::isfinite(correction))
    check::fail<Error>(function, "a correction is finite, got ", Scalar(correction).text());
}

/// Both without the axes they are over.
struct Moments {
  Tensor mean, variance;
};

namespace {

/// A mean of n squares with the divisor n - correction; where that is not positive, with the divisor 0, as NumPy.
Tensor corrected(const Tensor& mean_of_squares, int64_t n, double correction) {
  if (correction == 0) return mean_of_squares;
  const double share = static_cast<double>(n) / std::max(static_cast<double>(n) - correction, 0.0);
  const bool fits = share <= std::numeric_limits<float>::max();
  return mean_of_squares * (fits ? static_cast<float>(share) : std::numeric_limits<float>::infinity());
}

/// Of rows that one kernel reads once for both.
Moments of_rows(const Tensor& x, const Axes& axes) {
  const Tensor middle = mean(x, axes), of_row = middle.reshape(verbs::reduced_shape(x.shape(), axes, true));
  const int64_t count = count_over("moments", x.shape(), axes);
  const Tensor squares = square(x - of_row);
  const Tensor total =
      count == 1 || squares.size() == 0 ? sum(squares, axes) : pend(make_sum_in_any_order(squares.node(), axes));
  return {middle, total / static_cast<float>(count)};
}

/// Long rows cut into rows of a kernel: those along `inner`, and what is left of the axes, `outer`, before them.
struct Parts {
  Tensor x;
  Axes inner, outer;
};

int64_t largest_divisor(int64_t length, int64_t most) {
  int64_t divisor = std::min(length, most);
  while (length % divisor != 0) --divisor;
  return divisor;
}

/// Takes axes from the last on; the one that does not fit is cut in two. Nothing where the parts would be too short.
std::optional<Parts> parts_of(const Tensor& x, const Axes& axes) {
  constexpr int64_t shortest = 64, longest = 16384;
  if (x.size() == 0 || x.rank() == max_rank) return std::nullopt;
  int cut = axes.rank() - 1;
  int64_t length = 1;
  const auto length_of = [&](int i) { return x.shape()[static_cast<int>(axes[i])]; };
  while (cut >= 0 && length * length_of(cut) <= longest) length *= length_of(cut--);
  if (cut < 0) return std::nullopt;
  const int axis = static_cast<int>(axes[cut]);
  const int64_t part = largest_divisor(x.shape()[axis], longest / length);
  if (part * length < shortest) return std::nullopt;
  Shape shape = x.shape();
  shape[axis] /= part;
  shape.insert(axis + 1, part);
  Parts parts{x.reshape(shape), {axis + 1}, {}};
  for (int i = 0; i < axes.rank(); ++i) i <= cut ? parts.outer.push_back(axes[i]) : parts.inner.push_back(axes[i] + 1);
  return parts;
}

}  // namespace

/// Of parts of equal lengths the mean is the mean of means, and the variance the mean of variances plus the variance of
/// means: Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983).
static Moments moments_over(const Tensor& x, const Axes& axes);

static Moments of_parts(const Parts& parts) {
  const Moments inner = of_rows(parts.x, parts.inner), outer = moments_over(inner.mean, parts.outer);
  return {outer.mean, mean(inner.variance, parts.outer) + outer.variance};
}

/// The rows of a kernel, or else their parts.
static Moments composed(const Tensor& x, const Axes& axes) {
  const bool fits = x.size() > 0 && has_rows_of_a_kernel(*x.node(), axes, limits_of(*x.node()));
  const std::optional<Parts> parts = fits ? std::nullopt : parts_of(x, axes);
  return parts ? of_parts(*parts) : of_rows(x, axes);
}

/// d mean = sum dx / n, d variance = sum 2 (x - mean) dx / n. Those of what it is composed of would keep the
/// differences from the mean, as large as x, and sum them.
static Moments moments_over(const Tensor& x, const Axes& axes) {
  const Shape of_row = reduced_shape(x.shape(), axes, true);
  const auto share = 1 / static_cast<float>(count_over("moments", x.shape(), axes));
  const Function f = [&](const Tensors& at) {
    const auto [mean, variance] = composed(at[0], axes);
    return Tensors{mean, variance};
  };
  const Backward back = [of_row, share](const Tensors& at, const Tensors& results, const Tensors& g) {
    const auto along = [&](const Tensor& each) { return (each * share).reshape(of_row); };
    return Tensors{along(g[0]) + along(g[1] * 2.0F) * (at[0] - results[0].reshape(of_row))};
  };
  const Tensors found = with_own_rule({x}, f, back);
  return {found[0], found[1]};
}

Tensor variance(std::string_view function, const Tensor& given, const Axes& over, bool keepdims, double correction) {
  const Tensor x = to_f32(given);
  const Axes axes = check::axes_of(function, over, x.shape());
  require_nonempty(function, x, axes);
  require_correction(function, correction);
  const Tensor squares = moments_over(x, axes).variance.reshape(reduced_shape(x.shape(), axes, keepdims));
  return corrected(squares, count_over(function, x.shape(), axes), correction);
}

}  // namespace verbs

Tensor var(const Tensor& x, Axes axes, bool keepdims, double correction) {
  return verbs::variance("var", x, axes, keepdims, correction).astype(verbs::real_dtype(x));
}

Tensor stddev(const Tensor& x, Axes axes, bool keepdims, double correction) {
  return sqrt(verbs::variance("stddev", x, axes, keepdims, correction)).astype(verbs::real_dtype(x));
}

std::pair<Tensor, Tensor> moments(const Tensor& given, Axes over, bool keepdims) {
  const Tensor x = verbs::to_f32(given);
  const DType dtype = verbs::real_dtype(given);
  const Axes axes = check::axes_of("moments", over, x.shape());
  verbs::require_nonempty("moments", x, axes);
  if (axes.empty()) return {verbs::to_real(given), (x - x).astype(dtype)};
  const verbs::Moments found = verbs::moments_over(x, axes);
  const Shape shape = verbs::reduced_shape(x.shape(), axes, keepdims);
  return {found.mean.reshape(shape).astype(dtype), found.variance.reshape(shape).astype(dtype)};
}

}  // namespace eglantine
