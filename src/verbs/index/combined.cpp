#include "verbs/index/combined.hpp"

#include "verbs/factors.hpp"
#include "verbs/own_rule.hpp"

/// Derivatives of what is combined at indices, but sums, which are scattered as they are.
namespace eglantine::verbs {

namespace {

/// How many of those that meet at each element are so.
Tensor count_of(const Tensor& base, const Tensor& updates, const Meeting& meeting) {
  return meeting.combined(base.astype(DType::f32), updates.astype(DType::f32), Reduction::sum);
}

Tensors of_extremes(const Tensors& x, const Tensor& result, const Tensor& g, const Meeting& meeting) {
  const Tensor base_wins = x[0] == result, update_wins = x[1] == meeting.at_updates(result);
  const Tensor share = g / count_of(base_wins, update_wins, meeting);
  return {where(base_wins, share, 0), where(update_wins, meeting.at_updates(share), 0)};
}

/// The product of the others for a factor: of no zero it is product / factor; a single zero gets that of the rest.
Tensor others_of(const Tensor& factor, const Tensor& product, const Tensor& zeros, const Tensor& without_zeros) {
  const Tensor zero = factor == 0;
  return where(zero, where(zeros == 1, without_zeros, 0), where(zeros == 0, product / where(zero, 1, factor), 0));
}

/// Where another derivative goes through the factors.
Tensors of_differentiated_products(const Tensors& x, const Tensor& g, const Meeting& meeting) {
  const auto combined = [=](const Tensors& at, Reduction how) { return meeting.combined(at[0], at[1], how); };
  const auto spread = [=](const Tensor& each) { return Tensors{each, meeting.at_updates(each)}; };
  return cotangents_of_factors({x, combined, spread}, g);
}

Tensors of_products(const Tensors& x, const Tensor& result, const Tensor& g, const Meeting& meeting) {
  if (x[0].node()->is_differentiated() || x[1].node()->is_differentiated())
    return of_differentiated_products(x, g, meeting);
  const auto& at = meeting.at_updates;
  const Tensor base_zero = x[0] == 0, update_zero = x[1] == 0;
  const Tensor zeros = count_of(base_zero, update_zero, meeting);
  const Tensor without_zeros =
      meeting.combined(where(base_zero, 1, x[0]), where(update_zero, 1, x[1]), Reduction::prod);
  return {g * others_of(x[0], result, zeros, without_zeros),
          at(g) * others_of(x[1], at(result), at(zeros), at(without_zeros))};
}

}  // namespace

Tensor with_combining_rule(const Tensor& x, const Tensor& updates, Reduction combine, const Meeting& meeting,
                           const std::function<Tensor(const Tensor& x, const Tensor& updates)>& f) {
  const auto back = [=](const Tensors& at, const Tensor& result, const Tensor& g) {
    if (combine == Reduction::prod) return of_products(at, result, g, meeting);
    return of_extremes(at, result, g, meeting);
  };
  return with_own_rule(
      {x, updates}, [&](const Tensors& at) { return f(at[0], at[1]); }, back);
}

}  // namespace eglantine::verbs
