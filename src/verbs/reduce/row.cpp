#include "verbs/reduce/row.hpp"

#include <algorithm>
#include <bit>

#include "evaluate/evaluate.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "layout/layout.hpp"
#include "verbs/composite.hpp"
#include "verbs/own_rule.hpp"
#include "verbs/reduce/memory_order.hpp"
#include "verbs/reduce/parts.hpp"
#include "verbs/reduce/parts_and_rest.hpp"
#include "verbs/reduce/parts_in_memory.hpp"
#include "verbs/reduce/row_order.hpp"

/// Softmax, its kin and normalisations, as a user would write them.
namespace eglantine {

namespace {

/// The maximum along the axes; +-infinity counts as 0, so that x - shift is never inf - inf.
Tensor shift_of(const Tensor& x, const Axes& axes) {
  const Tensor largest = max(x, axes, true);
  return verbs::as_constant(where(isinf(largest), 0.0F, largest));
}

/// What the exponentials of a row are relative to, about its maximum, and their sum; axes of length 1 are reduced.
struct Exponentials {
  Tensor shift, total;
};

/// The sum relative to another value. Of -infinities it is nothing.
Tensor relative_to(const Tensor& shift, const Exponentials& part) {
  return where(part.total == 0.0F, 0.0F, part.total * exp(part.shift - shift));
}

/// From those of parts of equal lengths, each of which a kernel reads once: after Milakov and Gimelshein, "Online
/// normalizer calculation for softmax" (2018).
Exponentials joined(const Exponentials& parts, const Axes& outer) {
  const Tensor shift = shift_of(log(parts.total) + parts.shift, outer);
  return {shift, pend(make_sum_in_any_order(relative_to(shift, parts).node(), outer)).reshape(shift.shape())};
}

/// Of rows that a kernel takes.
Exponentials exponentials_of(const Tensor& x, const Axes& axes) {
  const Tensor shift = shift_of(x, axes), terms = exp(x - shift);
  const Tensor total = pend(make_sum_in_any_order(terms.node(), axes));
  return {shift.reshape(total.shape()), total};
}

/// Of parts of x's rows, without the axes of a row.
Exponentials exponentials_of(const verbs::Parts& parts) {
  const Exponentials all = joined(exponentials_of(parts.x, parts.inner), parts.outer);
  const Shape of_row = verbs::reduced_shape(all.shift.shape(), parts.outer, false);
  return {all.shift.reshape(of_row), all.total.reshape(of_row)};
}

/// Of a length that gives no equal parts: of such parts, and of what is left.
Exponentials joined(const Exponentials& head, const Exponentials& rest) {
  const Tensor largest = maximum(log(head.total) + head.shift, log(rest.total) + rest.shift);
  const Tensor shift = verbs::as_constant(where(isinf(largest), 0.0F, largest));
  return {shift, relative_to(shift, head) + relative_to(shift, rest)};
}

/// Nothing where a kernel takes x's rows whole, or no parts of them, and where a derivative goes through x.
std::optional<Exponentials> exponentials_by_parts(const Tensor& x, const Axes& axes) {
  if (x.node()->is_differentiated()) return std::nullopt;
  const Shape of_row = verbs::reduced_shape(x.shape(), axes, true);
  const auto placed = [&](const Exponentials& all) {
    return Exponentials{all.shift.reshape(of_row), all.total.reshape(of_row)};
  };
  if (const auto split = verbs::split_columns_of(x, axes))
    return placed(joined(exponentials_of(split->head), exponentials_of(split->rest, axes)));
  if (const auto split = verbs::split_of(x, axes))
    if (const auto head = verbs::parts_of(split->head, axes))
      return placed(joined(exponentials_of(*head), exponentials_of(split->rest, axes)));
  const std::optional<verbs::Parts> parts = verbs::parts_of(x, axes);
  return parts ? std::optional(placed(exponentials_of(*parts))) : std::nullopt;
}

/// Of all of x, whose parts do not lie one behind the other, or which has no equal ones: in the order of memory.
std::optional<Tensor> logsumexp_in_memory(const Tensor& x, const Axes& axes) {
  constexpr int64_t part = 16384;
  if (axes.rank() != x.rank() || (verbs::lies_in_order(x) && verbs::parts_of(x, axes))) return std::nullopt;
  const std::optional<verbs::PartsInMemory> parts = verbs::parts_in_memory(x, part);
  if (!parts) return std::nullopt;
  Tensor y = logsumexp(parts->head.reshape({parts->head.size()}));
  for (const Tensor& rest : parts->rests) y = logaddexp(y, logsumexp(rest));
  return y;
}

/// Whether no kernel of a GPU takes x's rows whole.
bool are_read_in_passes(const Tensor& x, int along) {
  return verbs::is_gpu(x.device()) && !has_rows_of_a_kernel(*x.node(), {along}, limits_of(*x.node()));
}

/// Whether a second reading of x takes less than storing what is computed of it, so that two reductions can read it.
bool is_read_anew(const Tensor& x, int along) { return !x.node()->is_differentiated() && are_read_in_passes(x, along); }

float reciprocal_of_count(const Tensor& x, const Axes& axes) {
  int64_t count = 1;
  for (int64_t axis : axes) count *= x.shape()[static_cast<int>(axis)];
  return 1.0F / static_cast<float>(count);
}

/// The mean, rounded twice: every lane of a row's kernel computes it, and in short rows an exact division takes it
/// longer than its elements do.
Tensor quick_mean(const Tensor& x, const Axes& axes) { return sum(x, axes, true) * reciprocal_of_count(x, axes); }

/// A row's y = (x - center) r and r. A derivative of their own reads y and r, and not x beside y: it is
/// r (g - mean(g) - y mean(g y)) of y's cotangent g, without mean(g) where no center is subtracted, and -r^2 y h / n of
/// r's, h.
template <class Both>
Tensor by_own_rule(const Tensor& x, const Axes& axes, bool centered, const Both& both) {
  const auto back = [axes, centered](const Tensors&, const Tensors& results, const Tensors& given) {
    const Tensor &y = results[0], &r = results[1], &g = given[0], &h = given[1];
    const Tensor along = y * (quick_mean(g * y, axes) + h * r * reciprocal_of_count(y, axes));
    return Tensors{r * ((centered ? g - quick_mean(g, axes) : g) - along)};
  };
  return verbs::with_own_rule({x}, both, back, OwnReads::results).front();
}

}  // namespace

namespace verbs {

namespace {

/// y = log(total) + shift and what it is made of. Its derivative by x is exp(x - shift) / total, with exponentials of
/// its own: the first ones, with two readers, would be stored.
Tensor logsumexp_by_rule(const Tensor& x, const Axes& axes) {
  const auto of = [=](const Tensors& at) {
    const Tensor shift = shift_of(at[0], axes), terms = exp(at[0] - shift);
    const Tensor total = pend(make_sum_in_any_order(terms.node(), axes)).reshape(shift.shape());
    return Tensors{log(total) + shift, shift, total};
  };
  const auto back = [](const Tensors& at, const Tensors& results, const Tensors& given) {
    return Tensors{exp(at[0] - results[1]) * (given[0] / results[2] + given[2])};
  };
  return with_own_rule({x}, of, back).front();
}

/// log(total) and the shift, a constant. The derivative by x is exp(x - shift) / total, with the same exponentials
/// where one kernel computes both. It reads log(total), which that kernel then stores, so that none reads the rows
/// again for the loss; total, a step of the kernel, would not be. By way of the logarithm, from 0 to log(n), the
/// quotient is off by 1e-6 of itself at most.
Tensors logarithm_by_rule(const Tensor& x, const Axes& axes) {
  const auto of = [=](const Tensors& at) {
    const Tensor shift = shift_of(at[0], axes), terms = exp(at[0] - shift);
    return Tensors{log(pend(make_sum_in_any_order(terms.node(), axes)).reshape(shift.shape())), shift};
  };
  const auto back = [=](const Tensors& at, const Tensors& results, const Tensors& given) {
    return Tensors{exp(at[0] - results[1]) * (given[0] * exp(-results[0]))};
  };
  const Tensors results = with_own_rule({x}, of, back);
  return {results[0], as_constant(results[1])};
}

/// Not on the CPU, which takes longer for a second exponential than for storing the first.
bool has_rule(const Tensor& x) { return x.node()->is_differentiated() && x.device().info().kind != "cpu"; }

}  // namespace

Tensor logsumexp_less(const Tensor& x, const Tensor& of_row, const Axes& axes) {
  if (x.size() == 0) return logsumexp(x, axes, true) - of_row;
  if (has_rule(x)) {
    const Tensors by_rule = logarithm_by_rule(x, axes);
    return by_rule[0] + (by_rule[1] - of_row);
  }
  if (const auto parts = exponentials_by_parts(x, axes)) return log(parts->total) + (parts->shift - of_row);
  const Tensor shift = shift_of(x, axes);
  return log(sum(exp(x - shift), axes, true)) + (shift - of_row);
}

}  // namespace verbs

namespace {

/// About the nodes that the parts of each of these are.
constexpr int64_t nodes_of_parts = 16;

/// Of f32 with elements; the axes stay with length 1.
Tensor logsumexp_over(const Tensor& x, const Axes& axes) {
  if (const auto parts = exponentials_by_parts(x, axes)) return log(parts->total) + parts->shift;
  if (verbs::has_rule(x)) return verbs::logsumexp_by_rule(x, axes);
  const Tensor shift = shift_of(x, axes);
  return log(sum(exp(x - shift), axes, true)) + shift;
}

NodePtr logsumexp_parts(const nodes::Composite& of) {
  return logsumexp_over(Tensor(of.args[0]), verbs::axes_from(of.numbers, 0)).node();
}

}  // namespace

Tensor logsumexp(const Tensor& given, Axes over, bool keepdims) {
  if (is_narrow(given.dtype())) return logsumexp(verbs::to_f32(given), over, keepdims).astype(verbs::real_dtype(given));
  const Tensor x = verbs::to_real(given);
  const Axes axes = verbs::reduction_axes("logsumexp", over, x.shape());
  if (x.size() == 0) return log(sum(x, over, keepdims));
  if (const auto y = logsumexp_in_memory(x, axes)) return y->reshape(verbs::reduced_shape(x.shape(), axes, keepdims));
  const Tensor y = verbs::composite(x.dtype(), verbs::reduced_shape(x.shape(), axes, true),
                                    {logsumexp_parts, {x.node()}, verbs::with_axes({}, axes), nodes_of_parts});
  return keepdims ? y : y.squeeze(axes);
}

namespace {

/// Of f32 with elements.
Tensor softmax_of(const Tensor& x, int along) {
  // Not on the CPU, which takes longer for a second exponential than for storing the first.
  if (x.device().info().kind != "cpu")
    if (const auto parts = exponentials_by_parts(x, {along})) return exp(x - parts->shift) * reciprocal(parts->total);
  const Tensor shift = shift_of(x, along), e = exp(x - shift);
  // Built anew where rows are too long for one kernel: a value with two readers would be stored.
  const Tensor terms = is_read_anew(x, along) ? exp(x - shift) : e;
  return e * reciprocal(sum(terms, along, true));
}

Tensor log_softmax_as_written(const Tensor& x, int along) {
  if (const auto parts = exponentials_by_parts(x, {along})) return (x - parts->shift) - log(parts->total);
  const Tensor shift = shift_of(x, along);
  // The difference is built anew: where rows are too long for one kernel, a value with two readers would be stored.
  return (x - shift) - log(sum(exp(x - shift), along, true));
}

template <Tensor (*of_rows)(const Tensor&, int)>
NodePtr rows_parts(const nodes::Composite& of) {
  return of_rows(Tensor(of.args[0]), static_cast<int>(of.numbers[0])).node();
}

/// Of f32 with elements, as one node where it may be one.
template <Tensor (*of_rows)(const Tensor&, int)>
Tensor rows_as_one(const Tensor& x, int along) {
  return verbs::composite(x.dtype(), x.shape(), {rows_parts<of_rows>, {x.node()}, {along}, nodes_of_parts});
}

/// Its derivative is g - exp(y) sum(g) of y's cotangent g: one kernel of rows computes both, and stores y for the loss.
/// Rows that take several passes take one more for that.
Tensor log_softmax_of(const Tensor& x, int along) {
  if (!x.node()->is_differentiated() || are_read_in_passes(x, along)) return log_softmax_as_written(x, along);
  const auto of = [=](const Tensors& at) { return rows_as_one<log_softmax_as_written>(at[0], along); };
  const auto back = [=](const Tensors&, const Tensor& y, const Tensor& g) {
    return Tensors{g - exp(y) * sum(g, along, true)};
  };
  return verbs::with_own_rule({x}, of, back, OwnReads::results);
}

/// One of the two, of what it takes.
template <Tensor (*of_rows)(const Tensor&, int)>
Tensor rows_along(const Tensor& given, int along) {
  if (is_narrow(given.dtype()))
    return rows_along<of_rows>(verbs::to_f32(given), along).astype(verbs::real_dtype(given));
  const Tensor x = verbs::to_real(given);
  return x.size() == 0 ? x : rows_as_one<of_rows>(x, along);
}

/// A derivative is taken of x as it is.
Tensor in_order(std::string_view function, const Tensor& x, int axis, Tensor (*of)(const Tensor&, int)) {
  const int along = check::axis_of(function, axis, x.shape());
  return x.node()->is_traced() ? of(x, along) : verbs::in_memory_order(x, along, of);
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) { return in_order("softmax", x, axis, rows_along<softmax_of>); }

Tensor log_softmax(const Tensor& x, int axis) { return in_order("log_softmax", x, axis, rows_along<log_softmax_of>); }

namespace verbs {

namespace {

bool are_too_long(const Tensor& x, const Axes& axes) {
  return !has_rows_of_a_kernel(*x.node(), axes, limits_of(*x.node()));
}

/// What stands for x's rows where only about their mean is asked for. A sixteenth of a row, whichever, has a mean
/// within four standard deviations of the row's; it is taken where a kernel of its own reads it.
Tensor sample_of(const Tensor& x, const Axes& axes) {
  constexpr int64_t share = 16, shortest = 4 * share;
  if (axes.empty() || !are_too_long(x, axes)) return x;
  const auto length = [&](int64_t axis) { return x.shape()[static_cast<int>(axis)]; };
  const auto longest = static_cast<int>(
      *std::max_element(axes.begin(), axes.end(), [&](int64_t a, int64_t b) { return length(a) < length(b); }));
  return length(longest) < shortest ? x : x.slice(longest, 0, length(longest) / share);
}

/// About the mean of x's rows along `axes`, which stay with length 1.
Tensor near_mean_of(const Tensor& x, const Axes& axes) {
  Tensor one = x;  // an element of each row, so that rows of equal elements round nothing
  for (int64_t axis : axes) one = one.slice(static_cast<int>(axis), 0, 1);
  return as_constant(one + quick_mean(sample_of(x, axes) - one, axes));
}

/// Of rows that are read in parts for mean and variance, and again for what they give: the former forwards in memory.
std::optional<Tensor> standardized_by_parts(const Tensor& x, const Axes& axes, float eps) {
  if (!is_gpu(x.device()) || x.node()->is_differentiated() || !are_too_long(x, axes)) return std::nullopt;
  Rows rows{forwards_along(x, axes), axes};
  if (!has_few_parts(rows.x, axes)) rows = with_one_axis(rows.x, axes);
  const bool has_parts = has_few_parts(rows.x, rows.axes);
  const std::optional<Split> split = has_parts ? std::nullopt : split_of(rows.x, rows.axes);
  if (!has_parts && !split) return std::nullopt;
  const Tensor near_mean = near_mean_of(rows.x, rows.axes);
  // Of one reading; a difference that both parts read would be stored.
  const auto [center, variance] = split ? moments_of({split->head - near_mean, split->rest - near_mean}, rows.axes)
                                        : moments(rows.x - near_mean, rows.axes, true);
  const Shape of_row = reduced_shape(x.shape(), axes, true);
  const auto along = [&](const Tensor& of_rows) { return of_rows.reshape(of_row); };
  return (x - along(near_mean) - along(center)) * rsqrt(along(variance) + eps);
}

Tensor standardized_rows(const Tensor& x, const Axes& axes, float eps) {
  if (const std::optional<Tensor> y = standardized_by_parts(x, axes, eps)) return *y;
  // Relative to about the mean: neither a mean far from zero nor an outlier costs the others digits. What is left of it
  // is so small beside the deviation that its square may be taken from the mean square.
  const Tensor near_mean = near_mean_of(x, axes);
  const auto shifted = [&] { return x - near_mean; };  // built anew: a value with two readers would be stored
  const auto of = [&](const Tensor& d, const Tensor& again, const Tensor& squared) {
    const Tensor center = quick_mean(again, axes);
    const Tensor r = rsqrt(quick_mean(square(squared), axes) - square(center) + eps);
    return Tensors{(d - center) * r, r};
  };
  if (!x.node()->is_differentiated()) return of(shifted(), shifted(), shifted()).front();
  return by_own_rule(shifted(), axes, true, [&](const Tensors& at) { return of(at[0], at[0], at[0]); });
}

Tensor rows_over_rms(const Tensor& x, const Axes& axes, float eps) {
  const auto of = [&](const Tensors& at) {
    const Tensor r = rsqrt(quick_mean(square(at[0]), axes) + eps);
    return Tensors{at[0] * r, r};
  };
  return x.node()->is_differentiated() ? by_own_rule(x, axes, false, of) : of({x}).front();
}

template <Tensor (*normalised)(const Tensor&, const Axes&, float)>
NodePtr normalised_parts(const nodes::Composite& of) {
  const auto eps = std::bit_cast<float>(static_cast<int32_t>(of.numbers[0]));
  return normalised(Tensor(of.args[0]), axes_from(of.numbers, 1), eps).node();
}

/// As one node.
template <Tensor (*normalised)(const Tensor&, const Axes&, float)>
Tensor normalised_along(const Tensor& x, const Axes& axes, float eps) {
  if (x.size() == 0) return x;
  return composite(
      x.dtype(), x.shape(),
      {normalised_parts<normalised>, {x.node()}, with_axes({std::bit_cast<int32_t>(eps)}, axes), nodes_of_parts});
}

}  // namespace

Tensor standardized(const Tensor& x, const Axes& axes, float eps) {
  return normalised_along<standardized_rows>(x, axes, eps);
}

Tensor over_rms(const Tensor& x, const Axes& axes, float eps) { return normalised_along<rows_over_rms>(x, axes, eps); }

}  // namespace verbs

}  // namespace eglantine
