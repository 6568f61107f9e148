#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "eglantine/verbs/statistics.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "verbs/composite.hpp"
#include "verbs/own_rule.hpp"
#include "verbs/reduce/part_means.hpp"
#include "verbs/reduce/parts.hpp"
#include "verbs/reduce/parts_and_rest.hpp"
#include "verbs/reduce/parts_in_memory.hpp"
#include "verbs/reduce/row.hpp"
#include "verbs/reduce/row_order.hpp"
#include "verbs/reduce/shared_mean.hpp"
#include "verbs/reduce/short_runs.hpp"
#include "verbs/rooted.hpp"

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

/// Of rows whose means these are; one kernel reads them once for both.
Moments of_rows(const Tensor& x, const Axes& axes, const Tensor& middle) {
  const Tensor of_row = middle.reshape(verbs::reduced_shape(x.shape(), axes, true));
  return {middle, mean_in_any_order(square(x - of_row), axes)};
}

Moments composed(const Tensor& x, const Axes& axes);

/// `share`: of the rest, among all elements. Each is around the mean of all, so that a kernel of both has that, too.
Moments merged(const Moments& head, const Moments& rest, float share) {
  const Tensor all = joined(head.mean, rest.mean, share);
  const auto around = [&](const Moments& x) { return x.variance + square(x.mean - all); };
  // The rest first: the kernel that joins the head's parts, the last operand, then takes the rest in.
  return {all, share * around(rest) + (1 - share) * around(head)};
}

Moments of_split(const Split& split, const Axes& axes) {
  const auto rest = static_cast<double>(split.rest.size()), all = static_cast<double>(split.head.size()) + rest;
  return merged(composed(split.head, axes), composed(split.rest, axes), static_cast<float>(rest / all));
}

/// Of parts of equal lengths the mean is the mean of means, and the variance the mean of what each part's is around
/// that: Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983). So it is of two unequal ones.
/// Where something else reads the mean of all, too, or no kernel joins the parts, in two sums: the kernel of the parts'
/// variances, which has their means, must then not wait for it.
Tensor variance_around(const Tensor& all, const Parts& parts, const Tensor& means, bool is_read) {
  const Tensor variance = of_rows(parts.x, parts.inner, means).variance;
  const Tensor apart = means - all.reshape(reduced_shape(means.shape(), parts.outer, true));
  if (is_read || !are_joined_at_once(parts))
    return mean_in_any_order(variance, parts.outer) + mean_in_any_order(square(apart), parts.outer);
  return mean_in_any_order(variance + square(apart), parts.outer);
}

/// Columns of no equal parts.
Moments of_split(const SplitColumns& split, const Tensor& x, const Axes& axes) {
  const SplitMeans means = means_of(split, x, axes);
  const Tensor head = variance_around(means.all, split.head, means.parts, false);
  const Tensor middle = means.rest.reshape(reduced_shape(split.rest.shape(), axes, true));
  const Tensor of_rest = mean_of_rest(split.rest, axes, [&](const Tensor& at) { return square(at - middle); });
  const Tensor rest = of_rest + square(means.rest - means.all);
  return {means.all, joined(head, rest, split.share)};
}

Moments of_equal_parts(const Parts& parts) {
  const Tensor means = mean_in_any_order(parts.x, parts.inner), all = mean_in_any_order(means, parts.outer);
  return {all, variance_around(all, parts, means, false)};
}

/// Of few elements in one row by whoever reads them.
Moments of_rest(const Tensor& rest, const Axes& axes) {
  if (axes.rank() > 1) return of_rows(rest, axes, mean_in_any_order(rest, axes));
  const Tensor middle = mean_of_rest(rest, axes, [](const Tensor& at) { return at; });
  const Tensor of_row = middle.reshape(reduced_shape(rest.shape(), axes, true));
  return {middle, mean_of_rest(rest, axes, [&](const Tensor& at) { return square(at - of_row); })};
}

/// Of `count` elements and of others.
Moments with_rest(const Moments& head, int64_t count, const Tensor& rest) {
  Axes axes;
  for (int axis = 0; axis < rest.rank(); ++axis) axes.push_back(axis);
  const auto more = static_cast<double>(rest.size());
  return merged(head, of_rest(rest, axes), static_cast<float>(more / (static_cast<double>(count) + more)));
}

/// Of all of x in the order of memory, in one reading: but where its mean takes the parts that its axes give.
std::optional<Moments> of_memory(const Tensor& x, const Axes& axes) {
  if (axes.rank() != x.rank() || parts_of_mean(x, axes)) return std::nullopt;
  if (const std::optional<PartsInMemory> found = parts_with_little_rest(x)) {
    Moments all = of_equal_parts({found->head, {1}, {0}});
    int64_t count = found->head.size();
    for (const Tensor& rest : found->rests) {
      all = with_rest(all, count, rest);
      count += rest.size();
    }
    return all;
  }
  const std::optional<PartsAndRest> found = parts_and_little_rest(x);
  if (!found) return std::nullopt;
  const Moments all = of_equal_parts(found->parts);
  return found->rest.defined() ? with_rest(all, found->parts.x.size(), found->rest) : all;
}

/// Whether a kernel takes the rows whole.
bool is_a_kernels(const Rows& rows) {
  return has_rows_of_a_kernel(*rows.x.node(), rows.axes, limits_of(*rows.x.node()));
}

/// These moments, which `given` has: a plan's mean of it is this one.
Moments shared(const Tensor& given, const Axes& axes, Moments moments) {
  share_mean(given, axes, moments.mean);
  return moments;
}

Moments composed(const Tensor& given, const Axes& axes) {
  const Tensor x = all_in_memory(without_repeats(given, axes), axes);
  if (const std::optional<Moments> found = of_memory(x, axes)) return shared(given, axes, *found);
  if (const std::optional<Split> split = split_of(x, axes)) return shared(given, axes, of_split(*split, axes));
  if (const std::optional<SplitColumns> split = split_columns_of(x, axes)) return of_split(*split, x, axes);
  const std::optional<Parts> parts = parts_of(x, axes);
  if (const Rows rows = with_one_axis(x, axes); !parts && rows.axes != axes && !is_a_kernels(rows))
    return shared(given, axes, composed(rows.x, rows.axes));
  if (!parts) return shared(given, axes, of_rows(x, axes, mean(x, axes)));
  const Means means = means_of(*parts, x, axes);
  const bool are_rows = axes[axes.rank() - 1] == x.rank() - 1;  // mean and variance of columns stay two kernels
  return {means.all, variance_around(means.all, *parts, means.parts, are_rows && means.known)};
}

}  // namespace

std::pair<Tensor, Tensor> moments_of(const Split& split, const Axes& axes) {
  const auto [mean, variance] = of_split(split, axes);
  return {mean, variance};
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

/// Of f32, or its square root, along checked axes, without them.
static Tensor variance_over(const Tensor& x, const Axes& axes, double correction, bool root) {
  const Tensor squares = moments_over(x, axes).variance.reshape(reduced_shape(x.shape(), axes, false));
  const Tensor variance = corrected(squares, count_over("var", x.shape(), axes), correction);
  return root ? square_root(variance) : variance;
}

static NodePtr variance_parts(const nodes::Composite& of) {
  const std::vector<int64_t>& numbers = of.numbers;
  return variance_over(Tensor(of.args[0]), axes_from(numbers, 2), std::bit_cast<double>(numbers[0]), numbers[1] != 0)
      .node();
}

/// Whether it may be one node: a mean of the same elements, whose parts a variance else shares, has none of its own
/// (parts_of_mean()), or is one node, too.
static bool is_one_node(const Tensor& x, const Axes& axes) {
  if (axes.empty() || has_short_runs(x, axes)) return false;
  if (are_columns(x, axes)) return are_columns_of_one_node(x, axes);
  return x.size() <= most_of_one_node || (may_share_mean(x, axes) && !parts_of_mean(x, axes));
}

Tensor variance(std::string_view function, const Tensor& given, const Axes& over, bool keepdims, double correction,
                bool root) {
  constexpr int64_t nodes_of_parts = 24;
  const Tensor wide = to_f32(given);
  const Axes axes = check::axes_of(function, over, wide.shape());
  const Tensor x = may_share_mean(wide, axes) ? all_in_memory(wide, axes) : wide;
  require_nonempty(function, x, axes);
  require_correction(function, correction);
  const Tensor y = is_one_node(x, axes)
                       ? composite(DType::f32, reduced_shape(x.shape(), axes, false),
                                   {variance_parts,
                                    {x.node()},
                                    with_axes({std::bit_cast<int64_t>(correction), int64_t{root}}, axes),
                                    nodes_of_parts})
                       : variance_over(x, axes, correction, root);
  return y.reshape(reduced_shape(x.shape(), axes, keepdims));
}

}  // namespace verbs

Tensor var(const Tensor& x, Axes axes, bool keepdims, double correction) {
  return verbs::variance("var", x, axes, keepdims, correction).astype(verbs::real_dtype(x));
}

Tensor stddev(const Tensor& x, Axes axes, bool keepdims, double correction) {
  return verbs::variance("stddev", x, axes, keepdims, correction, true).astype(verbs::real_dtype(x));
}

std::pair<Tensor, Tensor> moments(const Tensor& given, Axes over, bool keepdims) {
  const Tensor x = verbs::to_f32(given);
  const DType dtype = verbs::real_dtype(given);
  const Axes axes = check::axes_of("moments", over, x.shape());
  verbs::require_nonempty("moments", x, axes);
  if (axes.empty()) return {verbs::to_real(given), (x - x).astype(dtype)};
  const verbs::Rows rows = verbs::in_order_of_memory(x, axes);
  const verbs::Moments found = verbs::moments_over(rows.x, rows.axes);
  const Shape shape = verbs::reduced_shape(x.shape(), axes, keepdims);
  return {found.mean.reshape(shape).astype(dtype), found.variance.reshape(shape).astype(dtype)};
}

}  // namespace eglantine
