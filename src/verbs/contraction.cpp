#include "verbs/contraction.hpp"

#include "verbs/build.hpp"

namespace eglantine::verbs {

Tensor contraction(const Tensor& a, const Tensor& b, int batch, int rows, int columns, const Axes& order) {
  Shape all(a.shape().begin(), a.shape().begin() + batch + rows), shape;
  for (int i = batch; i < batch + columns; ++i) all.push_back(b.shape()[i]);
  for (int64_t axis : order) shape.push_back(all[static_cast<int>(axis)]);
  if (shape.elements() == 0) return zeros(shape, a.dtype(), a.device());
  return pend(make_contraction({a.node(), b.node(), batch, rows, columns, order}));
}

}  // namespace eglantine::verbs
