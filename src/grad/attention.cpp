#include <algorithm>
#include <limits>
#include <numeric>

#include "eglantine/ops.hpp"
#include "grad/attention_blocks.hpp"
#include "grad/rules.hpp"
#include "grad/tape.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/network/attention.hpp"

/// Attention, softmax(scale q k^T + mask) v: with p that softmax, v gets p^T g, the scores d = p (g v^T - delta), delta
/// = sum(p g v^T) = sum(g result), q and k scale d k and scale d^T q. By kernels that store neither p nor d (Dao and
/// others, "FlashAttention", 2022), of long sequences on GPUs of products of blocks of rows; composed of products of
/// all rows where the mask wants its gradient, the scores' own, and for derivatives of derivatives.
namespace eglantine::derivatives {

namespace {

using Gradients = AttentionGradients;

/// Whether one kernel gives all gradients, on GPUs: no longer a head than its tiles take, and no more columns than
/// blocks of stored scores are slower with (docs/performance-notes.md).
bool takes_all(const Tensor& q, const Tensor& k, const Tensor& v) {
  constexpr int64_t longest_head_of_all = 128, most_columns = 2048;
  return verbs::is_gpu(q.device()) && std::max(length(q, 1), length(v, 1)) <= longest_head_of_all &&
         length(k, 2) < most_columns;
}

/// x's heads, each for so many neighbours.
Tensor spread(const Tensor& x, int64_t heads) {
  const int axis = x.rank() - 3;
  return x.shape()[axis] == heads ? x : repeat(x, heads / x.shape()[axis], axis);
}

/// The sum over neighbours that share one of the heads of `like`.
Tensor gathered(const Tensor& g, const Shape& like) {
  const int axis = g.rank() - 3;
  if (g.shape()[axis] == like[axis]) return g;
  Shape split = like;
  split.insert(axis + 1, g.shape()[axis] / like[axis]);
  return sum(g.reshape(split), axis + 1);
}

/// The softmax of the scores; 0 in rows that see nothing.
Tensor shares_of(const nodes::Attention& x, const Tensor& q, const Tensor& k) {
  Tensor scores = matmul(q, transposed(k)) * x.scale;
  if (x.mask && x.mask->dtype != DType::boolean) scores = scores + Tensor(x.mask).astype(DType::f32);
  const Tensor mask = x.mask ? Tensor(x.mask) : Tensor();
  const int64_t rows = scores.shape()[scores.rank() - 2], columns = scores.shape()[scores.rank() - 1];
  const Tensor seen = visible_of(x, 0, rows, columns, mask, q.device());
  if (!seen.defined()) return softmax(scores, -1);
  const Tensor shown = where(seen, scores, -std::numeric_limits<float>::infinity());
  const Tensor largest = max(shown, -1, true);
  const Tensor e = where(seen, exp(shown - where(isinf(largest), 0, largest)), 0), total = sum(e, -1, true);
  return where(total == 0, 0, e / total);
}

/// Of the result's cotangent, or of the logsumexp's; the other one is undefined. Of x's mask, causal and scale alone.
struct Given {
  Tensor result, logsumexp;
};

/// Made of products, which store the scores.
Gradients composed(const nodes::Attention& x, const Tensors& operands, const Given& given) {
  const int64_t heads = operands[0].shape()[operands[0].rank() - 3];
  const auto operand = [&](size_t i) { return spread(operands[i].astype(DType::f32), heads); };
  const Tensor q = operand(0), k = operand(1), v = operand(2), shares = shares_of(x, q, k);
  Gradients to;
  if (given.result.defined()) {
    const Tensor of_shares = matmul(given.result, transposed(v));
    to.v = gathered(matmul(transposed(shares), given.result), operands[2].shape());
    to.scores = shares * (of_shares - sum(shares * of_shares, -1, true));
  } else {
    to.v = zeros(operands[2].shape(), DType::f32, q.device());
    to.scores = shares * given.logsumexp.unsqueeze(-1);
  }
  to.q = matmul(to.scores, k) * x.scale;
  to.k = gathered(matmul(transposed(to.scores), q) * x.scale, operands[1].shape());
  return to;
}

/// Of attention's node's result and logsumexp, which are constants.
AttentionRows rows_of(const NodePtr& node, bool rows_first, const Given& given) {
  const Tensor result = verbs::heads_first(stop_gradient(Tensor(node)), rows_first);
  const Shape rows(result.shape().begin(), result.shape().end() - 1);
  const Tensor logsumexp = stop_gradient(pend(make_logsumexp(node, rows)));
  if (!given.result.defined()) return {logsumexp, -given.logsumexp.astype(DType::f32), {}};
  const Tensor g = given.result.astype(DType::f32);
  return {logsumexp, sum(g * result, -1), g};
}

/// Of products of blocks of rows, which store their scores.
Gradients in_blocks(const nodes::Attention& x, const Tensors& operands, const AttentionRows& rows) {
  const int64_t heads = operands[0].shape()[operands[0].rank() - 3];
  const auto operand = [&](size_t i) { return spread(operands[i].astype(DType::f32), heads); };
  Gradients to = attention_gradients_in_blocks(x, operand(0), operand(1), operand(2), rows);
  to.k = gathered(to.k, operands[1].shape());
  to.v = gathered(to.v, operands[2].shape());
  return to;
}

/// By one kernel, into one tensor as that which q, k and v are views of.
Gradients side_by_side(nodes::AttentionGradient gradient) {
  gradient.all = gradient.rows_first = gradient.joined = true;
  const Tensor all = pend(make_attention_gradient(std::move(gradient)));
  const auto part = [&](int64_t i) { return all.slice(-3, i, i + 1).squeeze(-3).transpose(-3, -2); };
  return {part(0), part(1), part(2), {}};
}

/// By one kernel, each as attention's result lies. Of k's and v's heads, those that share one of theirs together.
Gradients by_one_kernel(nodes::AttentionGradient gradient, const Tensors& operands, bool rows_first) {
  const Tensor &q = operands[0], &k = operands[1], &v = operands[2];
  gradient.all = true;
  gradient.rows_first = rows_first;
  const NodePtr all = make_attention_gradient(gradient);
  const Tensor queries = pend(all), both = pend(make_value_gradient(all));
  const int64_t keys = both.size() / (length(q, 1) + length(v, 1)) * length(q, 1);
  const auto part = [&](int64_t first, int64_t end, const Tensor& of) {
    Shape shape = of.shape();
    shape[of.rank() - 3] = q.shape()[q.rank() - 3] / gradient.together;
    if (rows_first) std::swap(shape[of.rank() - 3], shape[of.rank() - 2]);
    return gathered(verbs::heads_first(both.slice(0, first, end).reshape(shape), rows_first), of.shape());
  };
  return {verbs::heads_first(queries, rows_first), part(0, keys, k), part(keys, both.size(), v), {}};
}

/// By attention's own kernels: one for all, or one for q's and one for k's and v's gradients.
Gradients by_kernels(const nodes::Attention& x, const Tensors& operands, const AttentionRows& rows, bool joined) {
  const Tensor &q = operands[0], &k = operands[1], &v = operands[2];
  Shape results = q.shape();
  results[results.rank() - 1] = length(v, 1);
  const Tensor g = rows.g.defined() ? rows.g : zeros(results, DType::f32, q.device());
  nodes::AttentionGradient gradient{q.node(),          k.node(), v.node(), x.mask, g.node(), rows.logsumexp.node(),
                                    rows.delta.node(), x.causal, x.scale,  0};
  const auto share = [&](const Tensor& y) { return q.shape()[q.rank() - 3] / y.shape()[q.rank() - 3]; };
  gradient.together = std::gcd(share(k), share(v));
  if (takes_all(q, k, v))
    return joined ? side_by_side(std::move(gradient)) : by_one_kernel(std::move(gradient), operands, x.rows_first);
  const NodePtr keys = make_attention_gradient(gradient);
  gradient.together = 0;
  return {pend(make_attention_gradient(gradient)),
          gathered(pend(keys), k.shape()),
          gathered(pend(make_value_gradient(keys)), v.shape()),
          {}};
}

/// The quicker of both on this device; where a trace goes through what it is made of, with the derivative of what is
/// composed.
Gradients differentiable(const nodes::Attention& x, const NodePtr& node, const Given& given, bool joined) {
  const bool of_result = given.result.defined();
  const Tensors inputs{Tensor(x.q), Tensor(x.k), Tensor(x.v), of_result ? given.result : given.logsumexp};
  const auto given_of = [of_result](const Tensors& at) { return of_result ? Given{at[3], {}} : Given{{}, at[3]}; };
  const auto apply = [&](const Tensors& at) {
    const AttentionRows rows = rows_of(node, x.rows_first, given_of(at));
    const Gradients to = !takes_all(at[0], at[1], at[2]) && takes_blocks(at[0], at[1])
                             ? in_blocks(x, at, rows)
                             : by_kernels(x, at, rows, joined);
    return Tensors{to.q, to.k, to.v};
  };
  Tensors found;
  if (std::none_of(inputs.begin(), inputs.end(), [](const Tensor& each) { return each.node()->is_traced(); })) {
    found = apply(inputs);
  } else {
    const nodes::Attention about{nullptr, nullptr, nullptr, x.mask, x.causal, x.scale, false};
    const Function slow = [about, given_of](const Tensors& at) {
      const Gradients to = composed(about, at, given_of(at));
      return Tensors{to.q, to.k, to.v};
    };
    found = custom_vjp(apply, [slow](const Tensors& at, const Tensors&, const Tensors& cotangents) {
      return Tape("scaled_dot_product_attention", slow, at).back(cotangents);
    })(inputs);
  }
  return {found[0], found[1], found[2], {}};
}

/// Whether the mask's gradient is wanted, or may be, which is the scores'.
bool takes_kernels(const nodes::Attention& x, const Cotangents& to) {
  return x.both && !(x.mask && (to.wants(x.mask) || x.mask->is_differentiated())) &&
         verbs::takes_gradient_kernels(*x.q, x.mask != nullptr);
}

/// Whether q, k and v are all of one tensor, (batch..., rows, 3, heads, features), as one product makes them.
bool are_joined(const nodes::Attention& x, const Cotangents& to) {
  const Shape& shape = x.q->shape;
  const int rank = shape.rank();
  if (!x.rows_first || rank == max_rank || shape != x.k->shape || shape != x.v->shape) return false;
  Shape joined = shape;
  std::swap(joined[rank - 2], joined[rank - 3]);
  joined.insert(rank - 2, 3);
  Axes order;
  for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
  std::swap(order[rank - 3], order[rank - 2]);
  NodePtr source;
  int64_t part = 0;
  for (const NodePtr* operand : {&x.q, &x.k, &x.v}) {
    const auto* view = to.wants(*operand) ? std::get_if<nodes::View>(&to.origin_of(*operand)) : nullptr;
    if (view == nullptr || view->boundary || (source && source != view->source)) return false;
    source = view->source;
    const Layout one = layout::squeeze(layout::slice(layout::contiguous(joined), rank - 2, part++, 1, 1), rank - 2);
    if (!layout::same(view->layout, layout::permute(one, order))) return false;
  }
  return source->shape.elements() == joined.elements();
}

void give(const nodes::Attention& x, const NodePtr& node, const Given& given, Cotangents& to) {
  const Gradients gradients = takes_kernels(x, to) ? differentiable(x, node, given, are_joined(x, to))
                                                   : composed(x, {Tensor(x.q), Tensor(x.k), Tensor(x.v)}, given);
  to.give(x.q, gradients.q);
  to.give(x.k, gradients.k);
  to.give(x.v, gradients.v);
  if (x.mask) to.give(x.mask, gradients.scores);
}

}  // namespace

void give_back(const nodes::Attention& x, const Tensor& result, const Tensor& g, Cotangents& to) {
  give(x, result.node(), {verbs::heads_first(g, x.rows_first), {}}, to);
}

void give_back_logsumexp(const nodes::Attention& x, const NodePtr& node, const Tensor& g, Cotangents& to) {
  give(x, node, {{}, g}, to);
}

}  // namespace eglantine::derivatives
