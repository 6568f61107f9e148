#include "vmap/product_rules.hpp"

#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "verbs/contraction.hpp"

namespace eglantine::mapping {

/// A matrix that is the same in each slice multiplies the rows of all slices as one.
Tensor again(const nodes::Matmul& x, const Node& node, const Batch& batch) {
  if (batch.varies(x.b) || x.b->shape.rank() != 2) return matmul(batch.where_varied(x.a), batch.where_varied(x.b));
  const int64_t rows = node.shape[0], summed = x.b->shape[0];
  const Tensor all_rows = batch.of(x.a).reshape({batch.slices() * rows, summed});
  return matmul(all_rows, Tensor(x.b)).reshape(batch.with_slices(node.shape));
}

namespace {

/// An operand's slices become the first of the axes that begin at `place`.
Tensor with_slices_at(int place, const Tensor& all) { return moveaxis(all, 0, place); }

/// The result's axes where number `place` of batches, rows and columns is new, and stands first.
Axes order_with(int place, const Axes& order) {
  Axes result{place};
  for (int64_t axis : order) result.push_back(axis < place ? axis : axis + 1);
  return result;
}

}  // namespace

/// The slices are a batch where they have both operands, else rows of a or columns of b.
Tensor again(const nodes::Contraction& x, const Node&, const Batch& batch) {
  const auto& [a, b, batches, rows, columns, order] = x;
  if (batch.varies(a) && batch.varies(b))
    return verbs::contraction(batch.of(a), batch.of(b), batches + 1, rows, columns, order_with(0, order));
  if (batch.varies(a))
    return verbs::contraction(with_slices_at(batches, batch.of(a)), Tensor(b), batches, rows + 1, columns,
                              order_with(batches, order));
  return verbs::contraction(Tensor(a), with_slices_at(batches, batch.of(b)), batches, rows, columns + 1,
                            order_with(batches + rows, order));
}

Tensor again(const nodes::Attention& x, const Node&, const Batch& batch) {
  return pend(make_attention({batch.of(x.q).node(), batch.of(x.k).node(), batch.of(x.v).node(),
                              x.mask ? batch.of(x.mask).node() : nullptr, x.causal, x.scale, x.both, x.rows_first}));
}

Tensor again(const nodes::AttentionGradient& x, const Node&, const Batch& batch) {
  const auto of = [&](const NodePtr& operand) { return operand ? batch.of(operand).node() : nullptr; };
  return pend(make_attention_gradient({of(x.q), of(x.k), of(x.v), of(x.mask), of(x.cotangent), of(x.logsumexp),
                                       of(x.delta), x.causal, x.scale, x.together, x.all, x.rows_first, x.joined}));
}

/// Of all, k's gradients of all slices come before v's.
Tensor of_second(const nodes::AttentionGradient& x, const NodePtr& first, int64_t slices) {
  const Tensor second = pend(make_value_gradient(first));
  if (!x.all) return second;
  const Shape &k = x.k->shape, &v = x.v->shape;
  const int64_t features = k[k.rank() - 1], results = v[v.rank() - 1],
                keys = second.size() / (features + results) * features;
  return concatenate(
      {second.slice(0, 0, keys).reshape({slices, -1}), second.slice(0, keys, second.size()).reshape({slices, -1})}, 1);
}

}  // namespace eglantine::mapping
