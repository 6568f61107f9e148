#include "eglantine/verbs/products.hpp"

#include "verbs/build.hpp"

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
  const int64_t length = a.shape()[a.rank() - 1];
  if (b.shape()[b.rank() - 1] != length)
    check::fail<ShapeError>("inner", "last axes differ: ", to_string(a.shape()), " and ", to_string(b.shape()));
  if (a.rank() + b.rank() - 2 > max_rank)
    check::fail<ShapeError>("inner", "of ", to_string(a.shape()), " and ", to_string(b.shape()), " has a rank above ",
                            std::to_string(max_rank));
}

}  // namespace

Tensor inner(const Tensor& a, const Tensor& b) {
  check::require_same_device("inner", a, b);
  const auto [x, y] = verbs::to_tensors("inner", a, b);
  check::require_types("inner", Types::numeric, x.dtype());
  if (x.rank() == 0 || y.rank() == 0) return x * y;
  check_inner(x, y);
  if (x.rank() == 1 && y.rank() == 1) return dot(x, y);
  Shape shape = but_last(x);
  for (int64_t length : but_last(y)) shape.push_back(length);
  check::require_countable("inner", shape);
  const int64_t k = x.shape()[x.rank() - 1];
  const Tensor rows = x.reshape({but_last(x).elements(), k}), columns = y.reshape({but_last(y).elements(), k});
  return matmul(rows, columns.transpose(0, 1)).reshape(shape);
}

}  // namespace eglantine
