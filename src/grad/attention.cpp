#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "grad/rules.hpp"
#include "verbs/build.hpp"

/// Attention, softmax(scale q k^T + mask) v: with p that softmax, v gets p^T g, the scores p (g v^T - sum(p g v^T)).
namespace eglantine::derivatives {

namespace {

/// x's heads, each for so many neighbours.
Tensor spread(const Tensor& x, int64_t heads) {
  const int axis = x.rank() - 3;
  return x.shape()[axis] == heads ? x : repeat(x, heads / x.shape()[axis], axis);
}

/// The sum over neighbours that share one of the heads of `like`.
Tensor gathered(const Tensor& g, const Node& like) {
  const int axis = g.rank() - 3;
  if (g.shape()[axis] == like.shape[axis]) return g;
  Shape split = like.shape;
  split.insert(axis + 1, g.shape()[axis] / like.shape[axis]);
  return sum(g.reshape(split), axis + 1);
}

Tensor transposed(const Tensor& x) { return swapaxes(x, -2, -1); }

/// Which columns each row sees; undefined: all.
Tensor visible(const nodes::Attention& x, const Shape& scores, const Device& device) {
  Tensor seen;
  if (x.causal) seen = tri(scores[scores.rank() - 2], scores[scores.rank() - 1], 0, DType::boolean, device);
  if (!x.mask) return seen;
  const Tensor mask(x.mask);
  const Tensor by_mask = mask.dtype() == DType::boolean ? mask : mask != -std::numeric_limits<float>::infinity();
  return seen.defined() ? seen & by_mask : by_mask;
}

/// The softmax of the scores; 0 in rows that see nothing.
Tensor shares_of(const nodes::Attention& x, const Tensor& q, const Tensor& k) {
  Tensor scores = matmul(q, transposed(k)) * x.scale;
  if (x.mask && x.mask->dtype != DType::boolean) scores = scores + Tensor(x.mask).astype(DType::f32);
  const Tensor seen = visible(x, scores.shape(), q.device());
  if (!seen.defined()) return softmax(scores, -1);
  const Tensor shown = where(seen, scores, -std::numeric_limits<float>::infinity());
  const Tensor largest = max(shown, -1, true);
  const Tensor e = where(seen, exp(shown - where(isinf(largest), 0, largest)), 0), total = sum(e, -1, true);
  return where(total == 0, 0, e / total);
}

}  // namespace

void give_back(const nodes::Attention& x, const Tensor&, const Tensor& g, Cotangents& to) {
  const int64_t heads = x.q->shape[x.q->shape.rank() - 3];
  const auto operand = [&](const NodePtr& node) { return spread(Tensor(node).astype(DType::f32), heads); };
  const Tensor q = operand(x.q), k = operand(x.k), v = operand(x.v), shares = shares_of(x, q, k);
  if (to.wants(x.v)) to.give(x.v, gathered(matmul(transposed(shares), g), *x.v));
  const Tensor of_shares = matmul(g, transposed(v));
  const Tensor of_scores = shares * (of_shares - sum(shares * of_shares, -1, true));
  if (x.mask) to.give(x.mask, of_scores);
  if (to.wants(x.q)) to.give(x.q, matmul(of_scores, k) * x.scale);
  if (to.wants(x.k)) to.give(x.k, gathered(matmul(transposed(of_scores), q) * x.scale, *x.k));
}

}  // namespace eglantine::derivatives
