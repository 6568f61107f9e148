#include "eglantine/verbs/losses.hpp"

#include <tuple>

#include "evaluate/evaluate.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "verbs/network/losses.hpp"
#include "verbs/reduce/part_means.hpp"
#include "verbs/rooted.hpp"

/// Losses of two operands, element by element. Those of labels are in cross_entropy.cpp.
namespace eglantine {

namespace verbs {

void require_reduction(std::string_view function, LossReduction reduction) {
  if (reduction != LossReduction::mean && reduction != LossReduction::sum && reduction != LossReduction::none)
    check::fail<Error>(function, std::to_string(static_cast<int>(reduction)),
                       " is no LossReduction: mean, sum or none");
}

Tensor reduced(const Tensor& losses, LossReduction reduction, const Operand& count) {
  if (reduction == LossReduction::none) return losses;
  return reduction == LossReduction::sum ? sum(losses) : div(sum_of_mean(losses), count);
}

}  // namespace verbs

namespace {

/// Two operands as f32 in one shape, and the dtype of the loss.
verbs::Reals to_pair(std::string_view function, const Operand& a, const Operand& b, LossReduction reduction) {
  verbs::require_reduction(function, reduction);
  const auto [x, y, dtype] = verbs::to_reals(function, a, b);
  check::require_same_device(function, x, y);
  const Shape shape = check::require_broadcast(function, x.shape(), y.shape());
  return {x.expand(shape), y.expand(shape), dtype};
}

Tensor reduced(const Tensor& losses, LossReduction reduction, DType dtype) {
  return verbs::reduced(losses, reduction, static_cast<float>(losses.size())).astype(dtype);
}

/// Along an axis, without the order of a tree, so that sums of one row may share a kernel.
Tensor sum_in_any_order(const Tensor& x, int axis) {
  return pend(make_sum_in_any_order(x.node(), {axis})).unsqueeze(axis);
}

/// sqrt(total), at least eps.
Tensor length_of(const Tensor& total, double eps) {
  return maximum(verbs::square_root(total), static_cast<float>(eps));
}

/// x with axes of length 1 in front up to the shape's rank, and with its length along `axis`; not expanded otherwise.
Tensor along(const Tensor& x, const Shape& shape, int axis) {
  Tensor y = x;
  while (y.rank() < shape.rank()) y = y.unsqueeze(0);
  Shape expanded = y.shape();
  expanded[axis] = shape[axis];
  return y.expand(expanded);
}

/// Whether a kernel reads a row of either once for its length and the product. Of pairs the products are a matrix's,
/// and lengths are fewer; a derivative goes through the quotient of sums with fewer values of elements.
bool are_rows_of_a_kernel(const Tensor& a, const Tensor& b, const Shape& shape, int axis) {
  const bool differentiated = a.node()->is_differentiated() || b.node()->is_differentiated();
  return verbs::is_gpu(a.device()) && !differentiated && a.shape() == shape && b.shape() == shape &&
         shape.elements() > 0 && has_rows_of_a_kernel(*a.node(), {axis}, limits_of(*a.node()));
}

}  // namespace

Tensor mse_loss(const Operand& a, const Operand& b, LossReduction reduction) {
  const auto [x, y, dtype] = to_pair("mse_loss", a, b, reduction);
  return reduced(square(x - y), reduction, dtype);
}

Tensor l1_loss(const Operand& a, const Operand& b, LossReduction reduction) {
  const auto [x, y, dtype] = to_pair("l1_loss", a, b, reduction);
  return reduced(abs(x - y), reduction, dtype);
}

Tensor huber_loss(const Operand& a, const Operand& b, double delta, LossReduction reduction) {
  const auto [x, y, dtype] = to_pair("huber_loss", a, b, reduction);
  check::require_finite("huber_loss", "delta", delta, true);
  const auto bound = static_cast<float>(delta);
  // By the difference itself: the derivative of its absolute value has none at 0.
  const Tensor difference = x - y, part = clip(difference, -bound, bound);
  return reduced(part * (difference - 0.5F * part), reduction, dtype);
}

Tensor binary_cross_entropy_with_logits(const Operand& a, const Operand& b, LossReduction reduction) {
  const auto [x, y, dtype] = to_pair("binary_cross_entropy_with_logits", a, b, reduction);
  // Selected: maximum and abs have no second derivative at 0. softplus(x) less x y would cancel where y is 1.
  const Tensor is_above = x > 0.0F;
  const Tensor above = where(is_above, x, 0.0F), decay = exp(where(is_above, -x, x));
  return reduced(above - x * y + log1p(decay), reduction, dtype);
}

Tensor kl_div(const Operand& a, const Operand& b, LossReduction reduction) {
  const auto [log_x, y, dtype] = to_pair("kl_div", a, b, reduction);
  return reduced(where(y == 0.0F, 0.0F, y * (log(y) - log_x)), reduction, dtype);
}

Tensor cosine_similarity(const Tensor& given_a, const Tensor& given_b, int axis, double eps) {
  const std::string_view name = "cosine_similarity";
  check::require_finite(name, "eps", eps);
  check::require_same_device(name, given_a, given_b);
  const auto [x, y, dtype] = verbs::to_reals(name, given_a, given_b);
  const Shape shape = check::require_broadcast(name, x.shape(), y.shape());
  const int at = check::axis_of(name, axis, shape);
  const Tensor a = along(x, shape, at), b = along(y, shape, at);
  if (are_rows_of_a_kernel(a, b, shape, at)) {
    const auto unit = [&](const Tensor& of) {
      return of * reciprocal(length_of(sum_in_any_order(square(of), at), eps));
    };
    return sum_in_any_order(unit(a) * unit(b), at).squeeze({at}).astype(dtype);
  }
  const auto length = [&](const Tensor& of) { return length_of(sum(square(of), {at}, true), eps); };
  return (sum(a * b, {at}, true) / (length(a) * length(b))).squeeze({at}).astype(dtype);
}

}  // namespace eglantine
