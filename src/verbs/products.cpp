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

}  // namespace eglantine
