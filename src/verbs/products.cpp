#include "eglantine/verbs/products.hpp"

#include <algorithm>

#include "verbs/build.hpp"
#include "verbs/in_shape.hpp"
#include "verbs/operand_lengths.hpp"

/// Products made of products (matmul.cpp) and of element-wise verbs.
namespace eglantine {

Tensor outer(const Tensor& a, const Tensor& b) {
  check::require_same_device("outer", a, b);
  const auto [x, y] = verbs::to_tensors("outer", a, b);
  check::require_countable("outer", {x.size(), y.size()});
  return x.reshape({x.size(), 1}) * y.reshape({1, y.size()});
}

namespace {

Shape but_last(const Tensor& x) { return Shape(x.shape().begin(), x.shape().end() - 1); }

void check_inner(const Tensor& a, const Tensor& b) {
  verbs::require_equal_lengths("inner", "last axes differ: ", {"a", a.shape()}, a.rank() - 1, {"b", b.shape()},
                               b.rank() - 1);
  if (a.rank() + b.rank() - 2 > max_rank)
    check::fail<ShapeError>("inner", "of ", to_string(a.shape()), " and ", to_string(b.shape()), " has a rank above ",
                            std::to_string(max_rank));
}

}  // namespace

Tensor inner(const Tensor& a, const Tensor& b) {
  check::require_same_device("inner", a, b);
  check::require_types("inner", Types::numeric, check::common_dtype("inner", a.dtype(), b.dtype()));
  if (a.rank() == 0 || b.rank() == 0) return verbs::to_counted(a) * verbs::to_counted(b);
  check_inner(a, b);
  if (a.rank() == 1 && b.rank() == 1) return dot(a, b);
  Shape shape = but_last(a);
  for (int64_t length : but_last(b)) shape.push_back(length);
  check::require_countable("inner", shape);
  const int64_t k = a.shape()[a.rank() - 1];
  const Tensor rows = a.reshape({but_last(a).elements(), k}), columns = b.reshape({but_last(b).elements(), k});
  return matmul(rows, columns.transpose(0, 1)).reshape(shape);
}

namespace {

/// x's shape with axes of length 1 in front, up to a rank.
Shape with_rank(const Tensor& x, int rank) {
  Shape shape = x.shape();
  while (shape.rank() < rank) shape.insert(0, 1);
  return shape;
}

Shape lengths_of_kron(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (int axis = 0; axis < a.rank(); ++axis)
    if (__builtin_mul_overflow(a[axis], b[axis], &shape[axis]))
      check::fail<ShapeError>("kron", "axis ", std::to_string(axis), " of ", to_string(a), " x ", to_string(b),
                              " would be longer than 2^63 - 1");
  check::require_countable("kron", shape);
  return shape;
}

/// Both with axes of their own, a's before b's in the place of each, but for one where only one is longer than 1.
struct Apart {
  Shape a, b;
  bool fits = true;

  void add(int64_t of_a, int64_t of_b) {
    fits = fits && a.rank() < max_rank;
    if (!fits) return;
    a.push_back(of_a);
    b.push_back(of_b);
  }
};

Apart apart(const Shape& a, const Shape& b) {
  Apart result;
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (a[axis] == 1 || b[axis] == 1) {
      result.add(a[axis], b[axis]);
    } else {
      result.add(a[axis], 1);
      result.add(1, b[axis]);
    }
  }
  return result;
}

}  // namespace

Tensor kron(const Tensor& a, const Tensor& b) {
  check::require_same_device("kron", a, b);
  const auto [x, y] = verbs::to_tensors("kron", a, b);
  const int rank = std::max(a.rank(), b.rank());
  const Shape of_a = with_rank(a, rank), of_b = with_rank(b, rank), shape = lengths_of_kron(of_a, of_b);
  if (shape.elements() == 0) return zeros(shape, x.dtype(), a.device());
  if (const Apart axes = apart(of_a, of_b); axes.fits)
    // What fused it there would have both factors repeated in memory.
    return verbs::in_shape(x.reshape(axes.a) * y.reshape(axes.b), shape);
  // Two axes for each of five and more are too many for a view.
  Tensor repeated = x.reshape(of_a);
  for (int axis = 0; axis < rank; ++axis) repeated = repeat(repeated, of_b[axis], axis);
  return repeated * tile(y, of_a.to_vector());
}

namespace {

/// x's axis that is `axis` of the shape that it broadcasts to; it must be 3 long.
int axis_of_vectors(const Tensor& x, int axis, const Shape& shape) {
  const int own = axis - (shape.rank() - x.rank());
  if (own < 0 || x.shape()[own] != 3)
    check::fail<ShapeError>("cross", "takes vectors of 3 along axis ", std::to_string(axis), " of ", to_string(shape),
                            ", got ", to_string(x.shape()));
  return own;
}

}  // namespace

Tensor cross(const Tensor& given_a, const Tensor& given_b, int axis) {
  check::require_same_device("cross", given_a, given_b);
  const auto [a, b] = verbs::to_tensors("cross", given_a, given_b);
  check::require_types("cross", Types::numeric, a.dtype());
  const Shape shape = check::require_broadcast("cross", a.shape(), b.shape());
  const int along = check::axis_of("cross", axis, shape);
  const int of_a = axis_of_vectors(a, along, shape), of_b = axis_of_vectors(b, along, shape);
  const Tensor x = verbs::widened(a), y = verbs::widened(b);
  const auto next = [](const Tensor& v, int at, int64_t by) { return roll(v, Axes(-by), Axes(at)); };
  return (next(x, of_a, 1) * next(y, of_b, 2) - next(x, of_a, 2) * next(y, of_b, 1)).astype(a.dtype());
}

}  // namespace eglantine
