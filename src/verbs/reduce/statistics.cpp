#include "eglantine/verbs/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eglantine/grad.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "verbs/build.hpp"
#include "verbs/reduce/parts.hpp"
#include "verbs/reduce/parts_in_memory.hpp"
#include "verbs/rooted.hpp"

/// Statistics that are sums and maxima of expressions.
namespace eglantine {

using verbs::count_over;
using verbs::rooted;

namespace {

bool is_float_with_reciprocal(double ord) {
  return std::isnormal(static_cast<float>(ord)) && std::isnormal(static_cast<float>(1 / ord));
}

/// The largest elements along the axes and the smallest, both of one reading: one kernel takes a part's maximum m and
/// the minimum of min(x, m), which is that of x. min(m, infinity) is m, but not the reduction itself, which others
/// would read from memory.
struct Extremes {
  Tensor most, least;
};
Tensor largest_of(const Tensor& x, const Axes& axes) {
  return minimum(max(x, axes, true), std::numeric_limits<float>::infinity());
}
Extremes extremes_of(const Tensor& x, const Axes& axes) {
  const Tensor most = largest_of(x, axes);
  return {most, min(minimum(x, most), axes, true)};
}

Tensor range_of(const verbs::PartsInMemory& parts) {
  const auto [most, least] = extremes_of(parts.head, {1});
  Tensor largest = max(most), smallest = min(least);
  for (const Tensor& rest : parts.rests) {
    largest = maximum(largest, max(rest));
    smallest = minimum(smallest, min(rest));
  }
  return largest - smallest;
}

/// The largest less the smallest of rows that are a kernel's, or parts of which are. A part's smallest is no larger
/// than its largest, so that one kernel takes the range of parts, too. Nothing of columns, whose kernels gain nothing.
std::optional<Tensor> range_of_rows(const Tensor& x, const Axes& axes) {
  const Node& node = *x.node();
  if (!verbs::is_gpu(x.device()) || x.dtype() != DType::f32 || node.is_differentiated()) return std::nullopt;
  if (axes.empty() || is_strided(node, axes, false)) return std::nullopt;
  if (has_rows_of_a_kernel(node, axes, limits_of(node))) {
    const auto [most, least] = extremes_of(x, axes);
    return most - least;
  }
  const std::optional<verbs::Parts> parts = verbs::parts_of(x, axes);
  if (!parts) return std::nullopt;
  const auto [most, least] = extremes_of(parts->x, parts->inner);
  const Shape of_parts = verbs::reduced_shape(parts->x.shape(), parts->inner, false);
  const Tensor each = most.reshape(of_parts), all = largest_of(each, parts->outer);
  return all - min(minimum(minimum(each, all), least.reshape(of_parts)), parts->outer, true);
}

/// sum(|x|^ord)^(1 / ord).
Tensor power_norm(const Tensor& x, const Axes& axes, bool keepdims, double ord) {
  if (!is_float_with_reciprocal(ord))
    check::fail<Error>("norm", "ord is ", Scalar(ord).text(),
                       "; it is 0, an infinity, or a number that f32 can hold together with its reciprocal");
  const Tensor powers = pow(abs(x), static_cast<float>(ord));
  return rooted(sum(powers, axes, keepdims), [=](const Tensor& y) { return pow(y, static_cast<float>(1 / ord)); });
}

/// sum(w.expand(shape), axes, true), broadcasting: along axes where w does not vary it is multiplied instead.
Tensor sum_of_broadcast(const Tensor& w, const Shape& shape, const Axes& axes) {
  Shape own(std::vector<int64_t>(static_cast<size_t>(shape.rank()), 1));
  std::copy(w.shape().begin(), w.shape().end(), own.end() - w.rank());
  double times = 1;
  for (int64_t axis : axes)
    if (const int i = static_cast<int>(axis); own[i] == 1) times *= static_cast<double>(shape[i]);
  const Tensor total = sum(w.reshape(own), axes, true);
  return times == 1 ? total : total * static_cast<float>(times);
}

/// Weights of one axis lie along the axis that is averaged, where that is one; others broadcast.
Tensor along_averaged(const Tensor& weights, const Tensor& x, const Axes& axes) {
  if (weights.rank() != 1 || axes.rank() != 1) return weights;
  const int axis = static_cast<int>(axes[0]);
  if (weights.size() != x.shape()[axis])
    check::fail<ShapeError>("average", std::to_string(weights.size()), " weights for axis ", std::to_string(axis),
                            " of ", to_string(x.shape()));
  Shape along(std::vector<int64_t>(static_cast<size_t>(x.rank()), 1));
  along[axis] = weights.size();
  return weights.reshape(along);
}

}  // namespace

namespace {

/// Of f32.
Tensor norm_of(const Tensor& x, const Axes& over, bool keepdims, double ord) {
  const Axes axes = verbs::reduction_axes("norm", over, x.shape());
  if (std::isinf(ord)) {
    verbs::require_nonempty("norm", x, axes);
    return ord > 0 ? max(abs(x), axes, keepdims) : min(abs(x), axes, keepdims);
  }
  if (ord == 0) return sum(verbs::to_f32(x.astype(DType::boolean)), axes, keepdims);
  if (ord == 1) return sum(abs(x), axes, keepdims);
  if (ord == 2) return verbs::square_root(sum(square(x), axes, keepdims));
  return power_norm(x, axes, keepdims, ord);
}

}  // namespace

Tensor norm(const Tensor& x, Axes over, bool keepdims, double ord) {
  return norm_of(verbs::to_f32(x), over, keepdims, ord).astype(verbs::real_dtype(x));
}

Tensor count_nonzero(const Tensor& x, Axes over, bool keepdims) {
  const Axes axes = verbs::reduction_axes("count_nonzero", over, x.shape());
  const int64_t count = count_over("count_nonzero", x.shape(), axes);
  if (count > std::numeric_limits<int32_t>::max())
    check::fail<ShapeError>("count_nonzero", std::to_string(count), " elements along axes ", to_string(axes), " of ",
                            to_string(x.shape()), " are more than an i32 can count");
  return sum(x.astype(DType::boolean), axes, keepdims);
}

Tensor nansum(const Tensor& x, Axes over, bool keepdims) {
  const Axes axes = verbs::reduction_axes("nansum", over, x.shape());
  return sum(is_float(x.dtype()) ? where(isnan(x), 0.0F, x) : x, axes, keepdims);
}

Tensor nanmean(const Tensor& given, Axes over, bool keepdims) {
  const Axes axes = check::axes_of("nanmean", over, given.shape());
  verbs::require_nonempty("nanmean", given, axes);
  if (!is_float(given.dtype())) return mean(given, axes, keepdims);
  const Tensor x = verbs::to_f32(given), count = sum(where(isnan(x), 0.0F, ones_like(x)), axes, keepdims);
  return (nansum(x, axes, keepdims) / count).astype(given.dtype());
}

Tensor ptp(const Tensor& x, Axes over, bool keepdims) {
  check::require_types("ptp", Types::numeric, x.dtype());
  const Axes axes = check::axes_of("ptp", over, x.shape());
  verbs::require_nonempty("ptp", x, axes);
  const Tensor wide = verbs::widened(x);
  constexpr int64_t part = 8192;
  if (axes.rank() == x.rank())
    if (const auto parts = verbs::parts_in_memory(wide, part)) {
      const Tensor range = range_of(*parts);
      return range.reshape(verbs::reduced_shape(x.shape(), axes, keepdims)).astype(x.dtype());
    }
  if (const auto range = range_of_rows(wide, axes))
    return range->reshape(verbs::reduced_shape(x.shape(), axes, keepdims)).astype(x.dtype());
  return (max(wide, axes, keepdims) - min(wide, axes, keepdims)).astype(x.dtype());
}

Tensor average(const Tensor& given, const Tensor& given_weights, Axes over, bool keepdims) {
  check::require_same_device("average", given, given_weights);
  const Tensor x = verbs::to_f32(given);
  const Axes axes = check::axes_of("average", over, x.shape());
  const Tensor weights = along_averaged(given_weights, x, axes);
  if (check::require_broadcast("average", x.shape(), weights.shape()) != x.shape())
    check::fail<ShapeError>("average", "weights of shape ", to_string(weights.shape()), " do not broadcast to ",
                            to_string(x.shape()));
  verbs::require_nonempty("average", x, axes);
  const Tensor w = verbs::to_f32(weights);
  const Tensor y =
      (sum(x * w, axes, true) / sum_of_broadcast(w, x.shape(), axes)).astype(verbs::real_dtype({given, weights}));
  return keepdims ? y : y.reshape(verbs::reduced_shape(x.shape(), axes, false));
}

Tensor diff(const Tensor& x, int64_t n, int axis) {
  const int along = check::axis_of("diff", axis, x.shape());
  if (n < 0) check::fail<Error>("diff", "n is ", std::to_string(n), "; a difference is taken 0 times or more");
  const int64_t length = x.shape()[along];
  if (n >= length && n > 0) {
    Shape shape = x.shape();
    shape[along] = 0;
    return zeros(shape, x.dtype(), x.device());
  }
  Tensor y = verbs::widened(x);
  for (int64_t i = 0; i < n; ++i) {
    const Tensor later = y.slice(along, 1), earlier = y.slice(along, 0, length - i - 1);
    y = x.dtype() == DType::boolean ? later ^ earlier : later - earlier;
  }
  return y.astype(x.dtype());
}

}  // namespace eglantine
