#include <limits>

#include "verbs/build.hpp"
#include "verbs/network/attention.hpp"

/// Attention made of products and softmax.
namespace eglantine::verbs {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A product of that shape, in f32. The heads that share one of y's are rows of one product, so that y is read as it
/// lies, once for all of them.
Tensor product(const Tensor& x, const Tensor& y, const Shape& shape) {
  if (!is_grouped(x.shape(), y.shape())) return matmul(to_f32(x), to_f32(y));
  const int64_t heads = heads_of(y.shape()), together = heads_of(x.shape()) / heads;
  Shape grouped = leading_axes(x.shape(), 3);
  grouped.push_back(heads);
  const Tensor rows = x.reshape(with_matrix(grouped, together * rows_of(x.shape()), features_of(x.shape())));
  return matmul(to_f32(rows), to_f32(y)).reshape(shape);
}

/// Which columns of which rows take part, to be broadcast; undefined: all.
Tensor seen(const AttentionArguments& x) {
  Tensor sees;
  if (x.mask.defined()) sees = x.mask.dtype() == DType::boolean ? x.mask : ne(x.mask, -infinity);
  if (!x.causal) return sees;
  const int64_t rows = rows_of(x.q.shape()), columns = rows_of(x.k.shape());
  const Tensor before = iota(x.q.device(), {columns}) <= iota(x.q.device(), {rows}).unsqueeze(1);
  return sees.defined() ? logical_and(sees, before) : before;
}

/// Over the result's leading axes; a row of no columns has none either.
Tensor logsumexp_of(const Tensor& scores, const Shape& result) {
  Shape rows = leading_axes(result, 1);
  if (features_of(scores.shape()) == 0) return full(rows, -infinity, DType::f32, scores.device());
  return logsumexp(scores, {-1}).expand(rows);
}

}  // namespace

AttentionOutputs composed_attention(const AttentionArguments& x, bool wants_logsumexp) {
  Tensor scores = product(x.q, x.k.transpose(-1, -2), x.shapes.scores) * x.scale;
  if (x.mask.defined() && is_float(x.mask.dtype())) scores = scores + to_f32(x.mask);
  const Tensor sees = seen(x);
  // Selected, since a score behind the mask may be NaN.
  if (sees.defined()) scores = where(sees, scores, -infinity);
  // A row that sees nothing would have NaN, which v's gradient multiplies by 0. Causal alone, each row sees column 0.
  const Tensor sees_any = x.mask.defined() ? any(sees, {-1}, true) : Tensor();
  const Tensor shares = softmax(sees_any.defined() ? where(sees_any, scores, 0.0F) : scores, -1);
  Tensor y = product(shares, x.v, x.shapes.result);
  if (sees_any.defined()) y = where(sees_any, y, 0.0F);  // also where v is not finite
  return {y, wants_logsumexp ? logsumexp_of(scores, x.shapes.result) : Tensor()};
}

}  // namespace eglantine::verbs
