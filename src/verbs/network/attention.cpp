#include "verbs/network/attention.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "evaluate/evaluate.hpp"
#include "graph/kernel/kernel.hpp"
#include "graph/product_choice.hpp"
#include "verbs/build.hpp"

/// Checks of attention's arguments, and the kernel's node.
namespace eglantine {

namespace verbs {

Shape leading_axes(const Shape& shape, int count) {
  return shape.rank() <= count ? Shape{} : Shape(shape.begin(), shape.end() - count);
}

Shape with_matrix(Shape shape, int64_t rows, int64_t columns) {
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

bool is_grouped(const Shape& x, const Shape& y) { return heads_of(x) != heads_of(y) && heads_of(x) != 1; }

namespace {

constexpr std::string_view name = "scaled_dot_product_attention";

/// (..., heads, m, n) of x (..., heads, m, k) and y (..., heads, k, n), where y's heads may be fewer. `second`: y, or
/// what it is transposed of.
Shape shape_of_product(NamedShape first, const Shape& y, NamedShape second) {
  const Shape& x = first.shape;
  const bool grouped = is_grouped(x, y);
  if (grouped && (heads_of(y) == 0 || heads_of(x) % heads_of(y) != 0))
    check::fail<ShapeError>(name, std::to_string(heads_of(x)), " heads are no multiple of ",
                            std::to_string(heads_of(y)), ": ", lengths_along(3, first, second));
  const int matrix = grouped ? 3 : 2;
  Shape shape;
  try {
    shape = broadcast_shapes(leading_axes(x, matrix), leading_axes(y, matrix));
  } catch (const ShapeError&) {
    check::fail<ShapeError>(name, "leading axes do not broadcast: ",
                            lengths_along(axis_that_does_not_broadcast(x, y, matrix), first, second));
  }
  if (grouped) shape.push_back(heads_of(x));
  return with_matrix(shape, rows_of(x), features_of(y));
}

void require_operand(std::string_view which, const Tensor& x, const Tensor& q) {
  check::require_same_device(name, q, x);
  check::require_types(name, Types::real, x.dtype());
  if (x.rank() < 2) check::fail<ShapeError>(name, which, " is ", to_string(x.shape()), "; it has rows and features");
}

AttentionShapes check_operands(const Tensor& q, const Tensor& k, const Tensor& v) {
  require_operand("q", q, q);
  require_operand("k", k, q);
  require_operand("v", v, q);
  const auto require_equal = [](int axis, std::string_view what, NamedShape x, NamedShape y) {
    if (length_from_end(x.shape, axis) != length_from_end(y.shape, axis))
      check::fail<ShapeError>(name, x.name, " and ", y.name, " differ in ", what, ": ", lengths_along(axis, x, y));
  };
  const NamedShape of_q{"q", q.shape()}, of_k{"k", k.shape()}, of_v{"v", v.shape()};
  require_equal(1, "features", of_q, of_k);
  require_equal(2, "length", of_k, of_v);
  Shape transposed = k.shape();
  std::swap(transposed[k.rank() - 1], transposed[k.rank() - 2]);
  const Shape scores = shape_of_product(of_q, transposed, of_k);
  const Shape result = shape_of_product({"the scores", scores}, v.shape(), of_v);
  check::require_countable(name, scores);
  check::require_countable(name, result);
  return {scores, result};
}

[[noreturn]] void fail_of_mask(const Shape& mask, const Shape& scores) {
  const std::string wanted = "mask must broadcast to the scores: ";
  if (mask.rank() > scores.rank())
    check::fail<ShapeError>(name, wanted, "it has ", std::to_string(mask.rank()), " axes, these ",
                            std::to_string(scores.rank()), ": ", to_string(mask), " and ", to_string(scores));
  const auto fits = [&](int axis) {
    return length_from_end(mask, axis) == 1 || length_from_end(mask, axis) == length_from_end(scores, axis);
  };
  int axis = 1;
  while (fits(axis)) ++axis;
  check::fail<ShapeError>(name, wanted, lengths_along(axis, {"mask", mask}, {"the scores", scores}));
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
  if (all != scores) fail_of_mask(mask.shape(), scores);
}

float scale_of(const AttentionOptions& options, const Tensor& q) {
  // Scores of no features are 0 whatever they are divided by.
  const double scale =
      options.scale.value_or(1 / std::sqrt(static_cast<double>(std::max<int64_t>(features_of(q.shape()), 1))));
  if (!std::isfinite(static_cast<float>(scale)))
    check::fail<Error>(name, "scale is finite as f32, got ", Scalar(scale).text());
  return static_cast<float>(scale);
}

void check_causal(const AttentionOptions& options, int64_t rows, int64_t columns) {
  if (options.causal && std::max(rows, columns) > int64_t{1} << 32)
    check::fail<ShapeError>(name, "causal numbers ", std::to_string(rows), " rows and ", std::to_string(columns),
                            " columns, at most 2^32");
}

AttentionArguments checked(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  const AttentionShapes shapes = check_operands(q, k, v);
  const Tensor& mask = options.mask;
  if (mask.defined()) check_mask(mask, q, shapes.scores);
  const float scale = scale_of(options, q);
  check_causal(options, rows_of(q.shape()), rows_of(k.shape()));
  return {q, k, v, mask.defined() ? atleast_2d(mask) : Tensor(), options.causal, scale, shapes};
}

/// Few rows of many columns keep a device busier as products that read k and v once, in parallel over columns, and
/// their scores take memory in proportion to the columns.
bool has_few_rows(const Shape& scores) {
  constexpr int64_t few = 8, times = 16;
  return rows_of(scores) < few && features_of(scores) >= times * few;
}

/// Whether x times y, a batch of matrices, reads each of these once: they are products of few columns, or so small that
/// several are in shared memory. scores: x's shape, or that of the result, whose rows are x's.
bool reads_matrices_once(const Shape& scores, const Shape& y, int64_t columns, int64_t summed) {
  const int64_t share = is_grouped(scores, y) ? heads_of(scores) / heads_of(y) : 1, rows = share * rows_of(scores);
  return scores.elements() / (rows * features_of(scores)) * columns * summed == y.elements() &&
         (has_few_columns(rows, columns, summed) || (rows + columns) * summed <= most_small_elements);
}

/// A GPU's times for a head of few rows, in multiplications; lengths: its features and results.
struct HeadOfFewRows {
  double rows, columns, lengths;

  /// The kernel has at least 64 rows in a tile, steps of 64 columns, and with a step or two waits for memory several
  /// times as long as it multiplies.
  double in_kernel() const {
    constexpr double rows_of_tile = 64, columns_of_step = 64, of_step = 4.5;
    return of_step * rows_of_tile * std::ceil(columns / columns_of_step) * columns_of_step * lengths;
  }
  /// Elements of k and v are read at half of the memory's bandwidth; a score is written, read for the softmax, which is
  /// written, and read again.
  double composed() const {
    constexpr double of_element = 60, of_product = 2, of_score = 240;
    return (of_element + of_product * rows) * columns * lengths + of_score * rows * columns;
  }
};

bool is_differentiated(const AttentionArguments& x) {
  return std::ranges::any_of(std::array{x.q, x.k, x.v, x.mask},
                             [](const Tensor& each) { return each.defined() && each.node()->is_differentiated(); });
}

/// Whether the kernel has the heads in registers, several a group: such few rows waste nothing (100,000 heads of 16 x
/// 16 x 32 on an H200: 276 us, composed 1040; 40,000 of 16 x 16 x 128 522 and 657; 200,000 of 8 x 8 x 32 434 and 769).
/// Its gradient has tiles.
bool are_short_heads(const AttentionArguments& x, int64_t heads) {
  constexpr int64_t longest = 64, half_of_largest = 64, largest_head = 128;
  const int64_t fewest = limits_of(*x.q.node()).short_heads,
                head = std::max(features_of(x.q.shape()), features_of(x.v.shape())),
                fewest_rows = head <= half_of_largest ? 8 : 16;
  return fewest > 0 && heads >= fewest && rows_of(x.shapes.scores) >= fewest_rows &&
         features_of(x.shapes.scores) <= longest && head <= largest_head && !is_differentiated(x);
}

/// Whether on a GPU few rows of many heads are quicker composed, by more than two dispatches take.
bool wastes_rows_of_tiles(const AttentionArguments& x) {
  constexpr int64_t most_rows = 16, most_columns = 128;
  constexpr double of_dispatches = 2e8;
  const Shape &scores = x.shapes.scores, &k = x.k.shape(), &v = x.v.shape();
  const int64_t rows = rows_of(scores), columns = features_of(scores);
  if (rows > most_rows || columns > most_columns || !is_gpu(x.q.device())) return false;
  if (!reads_matrices_once(scores, k, columns, features_of(k)) ||
      !reads_matrices_once(scores, v, features_of(v), columns))
    return false;
  const HeadOfFewRows head{static_cast<double>(rows), static_cast<double>(columns),
                           static_cast<double>(features_of(k) + features_of(v))};
  const int64_t heads = scores.elements() / (rows * columns);
  if (are_short_heads(x, heads)) return false;
  return static_cast<double>(heads) * (head.in_kernel() - head.composed()) > of_dispatches;
}

/// Whether one kernel does it: of lengths that it takes and counts, on a device that binds its operands and results.
bool takes_kernel(const AttentionArguments& x) {
  constexpr int64_t longest = int64_t{1} << 30;
  const int64_t bindings = x.mask.defined() ? 6 : 5;
  const int64_t rows = rows_of(x.shapes.scores), columns = features_of(x.shapes.scores);
  return x.shapes.scores.elements() > 0 && x.shapes.result.elements() > 0 && features_of(x.q.shape()) > 0 &&
         std::max(rows, columns) <= longest && !has_few_rows(x.shapes.scores) && !wastes_rows_of_tiles(x) &&
         std::max(features_of(x.q.shape()), features_of(x.v.shape())) <= longest_head &&
         limits_of(*x.q.node()).max_bindings >= bindings;
}

/// Whether a derivative is being taken, which needs the logsumexp.
bool wants_logsumexp(const AttentionArguments& x) {
  return is_differentiated(x) && takes_gradient_kernels(*x.q.node(), x.mask.defined());
}

/// Whether heads of x lie inside its rows, as those of a transposed (batch..., rows, heads, features) do: so will those
/// of the result, whose heads are then joined by a view.
bool lies_rows_first(const Node& x) {
  const std::shared_ptr<const Layout>& at = x.dominant.layout;
  const auto axis = static_cast<size_t>(x.shape.rank() - 3);
  if (!at || heads_of(x.shape) == 1 || rows_of(x.shape) == 1) return false;
  return at->strides[axis] != 0 && std::abs(at->strides[axis]) < std::abs(at->strides[axis + 1]);
}

struct AttentionNode {
  NodePtr node;
  bool rows_first;
};

/// The kernel's node. Leading axes are broadcast; heads of k and v stay as few as they are.
AttentionNode attention_node(const AttentionArguments& x, bool both) {
  const Shape batch = leading_axes(x.shapes.result, 3);
  const int64_t heads = heads_of(x.shapes.result);
  const auto operand = [&](const Tensor& t, int64_t own_heads) {
    Shape shape = batch;
    shape.push_back(own_heads);
    return broadcast(t, with_matrix(shape, rows_of(t.shape()), features_of(t.shape())));
  };
  nodes::Attention attention{operand(to_f32(x.q), heads),
                             operand(to_f32(x.k), heads_of(x.k.shape())),
                             operand(to_f32(x.v), heads_of(x.v.shape())),
                             nullptr,
                             x.causal,
                             x.scale,
                             both};
  if (x.mask.defined()) {
    Shape scores = batch;
    scores.push_back(heads);
    const Tensor mask = x.mask.dtype() == DType::boolean ? x.mask : to_f32(x.mask);
    attention.mask = broadcast(mask, with_matrix(scores, rows_of(x.shapes.scores), features_of(x.shapes.scores)));
  }
  const bool rows_first = attention.rows_first = lies_rows_first(*attention.q);
  return {make_attention(std::move(attention)), rows_first};
}

}  // namespace

namespace {

/// (batch..., heads, rows, results).
Tensor result_of(const AttentionNode& made) { return heads_first(pend(made.node), made.rows_first); }

}  // namespace

Tensor heads_first(const Tensor& result, bool rows_first) { return rows_first ? result.transpose(-3, -2) : result; }

bool takes_gradient_kernels(const Node& x, bool mask) { return limits_of(x).max_bindings >= (mask ? 9 : 8); }

AttentionOutputs attention_with_logsumexp(const Tensor& q, const Tensor& k, const Tensor& v,
                                          const AttentionOptions& options) {
  const AttentionArguments x = checked(q, k, v, options);
  const DType dtype = real_dtype({q, k, v});
  if (!takes_kernel(x)) {
    const AttentionOutputs y = composed_attention(x, true);
    return {y.result.astype(dtype), y.logsumexp};
  }
  const AttentionNode made = attention_node(x, true);
  const Tensor result = result_of(made), logsumexp = pend(make_logsumexp(made.node, leading_axes(result.shape(), 1)));
  return {result.reshape(x.shapes.result).astype(dtype), logsumexp.reshape(leading_axes(x.shapes.result, 1))};
}

}  // namespace verbs

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const AttentionOptions& options) {
  const verbs::AttentionArguments x = verbs::checked(q, k, v, options);
  const Tensor y = verbs::takes_kernel(x)
                       ? verbs::result_of(verbs::attention_node(x, verbs::wants_logsumexp(x))).reshape(x.shapes.result)
                       : verbs::composed_attention(x, false).result;
  return y.astype(verbs::real_dtype({q, k, v}));
}

}  // namespace eglantine
