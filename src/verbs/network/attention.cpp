#include "eglantine/verbs/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verbs/build.hpp"

/// Attention made of products and softmax.
namespace eglantine {

namespace {

constexpr std::string_view name = "scaled_dot_product_attention";

int64_t length_at(const Shape& x, int from_end) { return x.rank() < from_end ? 1 : x[x.rank() - from_end]; }
int64_t heads_of(const Shape& x) { return length_at(x, 3); }
int64_t rows_of(const Shape& x) { return length_at(x, 2); }
int64_t features_of(const Shape& x) { return length_at(x, 1); }

/// A shape without its last `count` axes.
Shape leading(const Shape& shape, int count) {
  return shape.rank() <= count ? Shape{} : Shape(shape.begin(), shape.end() - count);
}

Shape with_matrix(Shape shape, int64_t rows, int64_t columns) {
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

/// Whether each of y's heads serves several of x's.
bool is_grouped(const Shape& x, const Shape& y) { return heads_of(x) != heads_of(y) && heads_of(x) != 1; }

/// (..., heads, m, n) of x (..., heads, m, k) and y (..., heads, k, n), where y's heads may be fewer.
Shape shape_of_product(const Shape& x, const Shape& y, std::string_view names) {
  const bool grouped = is_grouped(x, y);
  if (grouped && (heads_of(y) == 0 || heads_of(x) % heads_of(y) != 0))
    check::fail<ShapeError>(name, std::to_string(heads_of(x)), " heads are no multiple of ",
                            std::to_string(heads_of(y)), ": ", names, " are ", to_string(x), " and ", to_string(y));
  const int matrix = grouped ? 3 : 2;
  Shape shape;
  try {
    shape = broadcast_shapes(leading(x, matrix), leading(y, matrix));
  } catch (const ShapeError&) {
    check::fail<ShapeError>(name, "leading axes do not broadcast: ", names, " are ", to_string(x), " and ",
                            to_string(y));
  }
  if (grouped) shape.push_back(heads_of(x));
  return with_matrix(shape, rows_of(x), features_of(y));
}

/// A product of that shape, in f32. The heads that share one of y's are rows of one product, so that y is read as it
/// lies, once for all of them.
Tensor product(const Tensor& x, const Tensor& y, const Shape& shape) {
  if (!is_grouped(x.shape(), y.shape())) return matmul(verbs::to_f32(x), verbs::to_f32(y));
  const int64_t heads = heads_of(y.shape()), together = heads_of(x.shape()) / heads;
  Shape grouped = leading(x.shape(), 3);
  grouped.push_back(heads);
  const Tensor rows = x.reshape(with_matrix(grouped, together * rows_of(x.shape()), features_of(x.shape())));
  return matmul(verbs::to_f32(rows), verbs::to_f32(y)).reshape(shape);
}

void require_operand(std::string_view which, const Tensor& x, const Tensor& q) {
  check::require_same_device(name, q, x);
  check::require_types(name, Types::real, x.dtype());
  if (x.rank() < 2) check::fail<ShapeError>(name, which, " is ", to_string(x.shape()), "; it has rows and features");
}

struct Shapes {
  Shape scores, result;
};

Shapes check_operands(const Tensor& q, const Tensor& k, const Tensor& v) {
  require_operand("q", q, q);
  require_operand("k", k, q);
  require_operand("v", v, q);
  const auto require_equal = [](int64_t a, int64_t b, std::string_view what, const Tensor& x, const Tensor& y) {
    if (a != b) check::fail<ShapeError>(name, what, ": ", to_string(x.shape()), " and ", to_string(y.shape()));
  };
  require_equal(features_of(q.shape()), features_of(k.shape()), "q and k differ in features", q, k);
  require_equal(rows_of(k.shape()), rows_of(v.shape()), "k and v differ in length", k, v);
  Shape transposed = k.shape();
  std::swap(transposed[k.rank() - 1], transposed[k.rank() - 2]);
  const Shape scores = shape_of_product(q.shape(), transposed, "q and k, transposed,");
  const Shape result = shape_of_product(scores, v.shape(), "scores and v");
  check::require_countable(name, scores);
  check::require_countable(name, result);
  return {scores, result};
}

void check_mask(const Tensor& mask, const Tensor& q, const Shape& scores) {
  check::require_same_device(name, q, mask);
  if (mask.dtype() != DType::boolean && !is_float(mask.dtype()))
    check::fail<DTypeError>(name, "mask is boolean, f32, f16 or bf16, got ", name_of(mask.dtype()),
                            "; convert with astype");
  Shape all;
  try {
    all = broadcast_shapes(mask.shape(), scores);
  } catch (const ShapeError&) {
    all = {};
  }
  if (all != scores)
    check::fail<ShapeError>(name, "mask is ", to_string(mask.shape()), ", it must broadcast to the scores, ",
                            to_string(scores));
}

float scale_of(const AttentionOptions& options, const Tensor& q) {
  // Scores of no features are 0 whatever they are divided by.
  const double scale =
      options.scale.value_or(1 / std::sqrt(static_cast<double>(std::max<int64_t>(features_of(q.shape()), 1))));
  if (!std::isfinite(static_cast<float>(scale)))
    check::fail<Error>(name, "scale is finite as f32, got ", Scalar(scale).text());
  return static_cast<float>(scale);
}

/// Which columns of which rows take part, to be broadcast; undefined: all.
Tensor seen(const AttentionOptions& options, const Tensor& q, int64_t rows, int64_t columns) {
  Tensor sees;
  if (options.mask.defined()) {
    const Tensor mask = atleast_2d(options.mask);
    sees = mask.dtype() == DType::boolean ? mask : ne(mask, -std::numeric_limits<float>::infinity());
  }
  if (!options.causal) return sees;
  if (std::max(rows, columns) > int64_t{1} << 32)
    check::fail<ShapeError>(name, "causal numbers ", std::to_string(rows), " rows and ", std::to_string(columns),
                            " columns, at most 2^32");
  const Tensor before = verbs::iota(q.device(), {columns}) <= verbs::iota(q.device(), {rows}).unsqueeze(1);
  return sees.defined() ? logical_and(sees, before) : before;
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const AttentionOptions& options) {
  const Shapes shapes = check_operands(q, k, v);
  const Tensor& mask = options.mask;
  if (mask.defined()) check_mask(mask, q, shapes.scores);
  Tensor scores = product(q, k.transpose(-1, -2), shapes.scores) * scale_of(options, q);
  if (mask.defined() && is_float(mask.dtype())) scores = scores + verbs::to_f32(mask);
  const Tensor sees = seen(options, q, rows_of(q.shape()), rows_of(k.shape()));
  // Selected, since a score behind the mask may be NaN.
  if (sees.defined()) scores = where(sees, scores, -std::numeric_limits<float>::infinity());
  Tensor y = product(softmax(scores, -1), v, shapes.result);
  // Such a row's softmax is NaN. Causal alone, each row sees column 0.
  if (mask.defined()) y = where(any(sees, {-1}, true), y, 0.0F);
  return y.astype(verbs::real_dtype({q, k, v}));
}

}  // namespace eglantine
