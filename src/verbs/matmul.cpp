#include <algorithm>
#include <utility>

#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/operand_lengths.hpp"
#include "verbs/reduce/row_order.hpp"

namespace eglantine {

namespace {

/// The batch's lengths, then the matrix's.
Shape with_batch(const Shape& batch, int64_t rows, int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

Shape batch_of(const Tensor& x) { return Shape(x.shape().begin(), x.shape().end() - 2); }

Shape broadcast_batches(const Tensor& left, const Tensor& right) {
  try {
    return broadcast_shapes(batch_of(left), batch_of(right));
  } catch (const ShapeError&) {
    const int axis = verbs::axis_that_does_not_broadcast(left.shape(), right.shape(), 2);
    check::fail<ShapeError>(
        "matmul", "batches do not broadcast: ", verbs::lengths_along(axis, {"a", left.shape()}, {"b", right.shape()}));
  }
}

/// Whether x is the same all along an axis, or has none there (negative).
bool is_one_along(const Tensor& x, int axis) {
  return axis < 0 || x.shape()[axis] == 1 || verbs::repeats_along(x, axis);
}

/// Of two operands of ranks 2 and more.
Shape shape_of_product(const Tensor& a, const Tensor& b) {
  return with_batch(broadcast_batches(a, b), a.shape()[a.rank() - 2], b.shape()[b.rank() - 1]);
}

/// a and b of ranks 2 and more with one of the rows, columns and batches of the product that repeat, where that saves
/// enough.
std::pair<Tensor, Tensor> with_results_once(const Tensor& a, const Tensor& b) {
  const int most = std::max(a.rank(), b.rank());
  Axes of_a{a.rank() - 2}, of_b{b.rank() - 1};
  for (int axis = 3; axis <= most; ++axis) {
    const int at_a = a.rank() - axis, at_b = b.rank() - axis;
    if (!is_one_along(a, at_a) || !is_one_along(b, at_b)) continue;
    if (at_a >= 0) of_a.push_back(at_a);
    if (at_b >= 0) of_b.push_back(at_b);
  }
  const Tensor rows = verbs::with_repeats_once(a, of_a), columns = verbs::with_repeats_once(b, of_b);
  if (rows.node() == a.node() && columns.node() == b.node()) return {a, b};
  const int64_t saved = shape_of_product(a, b).elements() - shape_of_product(rows, columns).elements();
  return saved * a.shape()[a.rank() - 1] < verbs::multiplications_of_a_copy ? std::pair(a, b)
                                                                            : std::pair(rows, columns);
}

/// The dtype of the product, after checking what it is of.
DType check_product(const Tensor& a, const Tensor& b) {
  check::require_same_device("matmul", a, b);
  const DType dtype = check::common_dtype("matmul", a.dtype(), b.dtype());
  check::require_types("matmul", Types::numeric, dtype);
  if (a.rank() == 0 || b.rank() == 0)
    check::fail<ShapeError>("matmul", "takes no scalars, got ", to_string(a.shape()), " and ", to_string(b.shape()),
                            "; use mul");
  verbs::require_equal_lengths("matmul", "inner sizes differ: ", {"a", a.shape()}, a.rank() - 1, {"b", b.shape()},
                               b.rank() == 1 ? 0 : b.rank() - 2);
  return dtype;
}

/// x (batch..., m, k) as a matrix (batch m, k) where its rows lie evenly, else undefined. A product with one matrix for
/// all batches is then a single one, of more rows, and so are its derivatives.
Tensor joined_rows(const Tensor& x) {
  const int64_t k = x.shape()[x.rank() - 1];
  if (x.rank() == 2 || x.size() == 0) return {};
  const Shape rows{x.size() / k, k};
  {
    const GraphLock lock;
    if (!layout::reshape(placed(x.node()).layout, rows)) return {};
  }
  return x.reshape(rows);
}

/// a times b, of ranks 2 and more, in a computed type.
Tensor product_of(const Tensor& a, const Tensor& b, const Shape& batch) {
  const int64_t m = a.shape()[a.rank() - 2], k = a.shape()[a.rank() - 1], n = b.shape()[b.rank() - 1];
  const Shape shape = with_batch(batch, m, n);
  if (k == 0) return zeros(shape, a.dtype(), a.device());
  if (k == 1) return a * b;  // nothing is summed: element-wise, which fuses and wastes no lanes of a tile
  if (const Tensor rows = b.rank() == 2 ? joined_rows(a) : Tensor(); rows.defined())
    return pend(make_matmul(rows.node(), b.node(), {rows.shape()[0], n})).reshape(shape);
  return pend(
      make_matmul(verbs::broadcast(a, with_batch(batch, m, k)), verbs::broadcast(b, with_batch(batch, k, n)), shape));
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  const DType meet = check_product(a, b), dtype = computed_type(meet);
  const Tensor left = a.rank() == 1 ? a.unsqueeze(0) : a, right = b.rank() == 1 ? b.unsqueeze(1) : b;
  const int64_t m = left.shape()[left.rank() - 2], k = left.shape()[left.rank() - 1],
                n = right.shape()[right.rank() - 1];
  const Shape batch = broadcast_batches(left, right), shape = with_batch(batch, m, n);
  check::require_countable("matmul", shape);
  check::require_countable("matmul", with_batch(batch, m, k));
  check::require_countable("matmul", with_batch(batch, k, n));
  const auto [rows, columns] = with_results_once(left, right);
  Tensor product = product_of(rows.astype(dtype), columns.astype(dtype), broadcast_batches(rows, columns));
  if (is_float(meet)) product = product.astype(meet);
  // A tensor in memory as all products are, unless what reads it takes the copy in.
  if (product.shape() != shape) product = verbs::elementwise(Op::copy, product.expand(shape));
  if (b.rank() == 1) product = product.squeeze({-1});
  if (a.rank() == 1) product = product.squeeze({b.rank() == 1 ? -1 : -2});
  return product;
}

Tensor dot(const Tensor& a, const Tensor& b) {
  if (a.rank() != 1 || b.rank() != 1)
    check::fail<ShapeError>("dot", "takes two tensors of rank 1, got ", to_string(a.shape()), " and ",
                            to_string(b.shape()), "; matmul multiplies matrices");
  verbs::require_equal_lengths("dot", "lengths differ: ", {"a", a.shape()}, 0, {"b", b.shape()}, 0);
  check::require_same_device("dot", a, b);
  check::require_types("dot", Types::numeric, check::common_dtype("dot", a.dtype(), b.dtype()));
  return multiply_sum(a, b, {}, false);
}

}  // namespace eglantine
