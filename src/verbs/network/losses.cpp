#include "eglantine/verbs/losses.hpp"

#include <bit>
#include <tuple>

#include "verbs/composite.hpp"
#include "verbs/network/losses.hpp"
#include "verbs/reduce/part_means.hpp"

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

/// Of each pair of elements, of f32 in one shape; some have a parameter.
Tensor squares(const Tensor& x, const Tensor& y, float) { return square(x - y); }
Tensor distances(const Tensor& x, const Tensor& y, float) { return abs(x - y); }

Tensor huber_losses(const Tensor& x, const Tensor& y, float delta) {
  // By the difference itself: the derivative of its absolute value has none at 0.
  const Tensor difference = x - y, part = clip(difference, -delta, delta);
  return part * (difference - 0.5F * part);
}

Tensor cross_entropies(const Tensor& x, const Tensor& y, float) {
  // Selected: maximum and abs have no second derivative at 0. softplus(x) less x y would cancel where y is 1.
  const Tensor is_above = x > 0.0F;
  const Tensor above = where(is_above, x, 0.0F), decay = exp(where(is_above, -x, x));
  return above - x * y + log1p(decay);
}

Tensor divergences(const Tensor& log_x, const Tensor& y, float) { return where(y == 0.0F, 0.0F, y * (log(y) - log_x)); }

using Losses = Tensor (*)(const Tensor& x, const Tensor& y, float parameter);

template <Losses losses>
NodePtr loss_parts(const nodes::Composite& of) {
  const Tensor each =
      losses(Tensor(of.args[0]), Tensor(of.args[1]), static_cast<float>(std::bit_cast<double>(of.numbers[2])));
  return reduced(each, static_cast<LossReduction>(of.numbers[0]), static_cast<DType>(of.numbers[1])).node();
}

/// As one node.
template <Losses losses>
Tensor loss(std::string_view function, const Operand& a, const Operand& b, LossReduction reduction,
            double parameter = 0) {
  constexpr int64_t nodes_of_parts = 12;
  const auto [x, y, dtype] = to_pair(function, a, b, reduction);
  return verbs::composite(
      dtype, reduction == LossReduction::none ? x.shape() : Shape{},
      {loss_parts<losses>,
       {x.node(), y.node()},
       {static_cast<int64_t>(reduction), static_cast<int64_t>(dtype), std::bit_cast<int64_t>(parameter)},
       nodes_of_parts});
}

}  // namespace

Tensor mse_loss(const Operand& a, const Operand& b, LossReduction reduction) {
  return loss<squares>("mse_loss", a, b, reduction);
}

Tensor l1_loss(const Operand& a, const Operand& b, LossReduction reduction) {
  return loss<distances>("l1_loss", a, b, reduction);
}

Tensor huber_loss(const Operand& a, const Operand& b, double delta, LossReduction reduction) {
  check::require_finite("huber_loss", "delta", delta, true);
  return loss<huber_losses>("huber_loss", a, b, reduction, delta);
}

Tensor binary_cross_entropy_with_logits(const Operand& a, const Operand& b, LossReduction reduction) {
  return loss<cross_entropies>("binary_cross_entropy_with_logits", a, b, reduction);
}

Tensor kl_div(const Operand& a, const Operand& b, LossReduction reduction) {
  return loss<divergences>("kl_div", a, b, reduction);
}

}  // namespace eglantine
