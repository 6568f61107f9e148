#pragma once

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "graph/node.hpp"

namespace eglantine::verbs {

/// root(total), of which the derivative is 0 where the total is, instead of 0 times infinity.
template <class Root>
Tensor rooted(const Tensor& total, Root root) {
  if (!total.node()->is_differentiated()) return root(total);
  const Tensor zero = total == 0;
  return where(zero, stop_gradient(root(total)), root(where(zero, 1, total)));
}
inline Tensor square_root(const Tensor& total) {
  return rooted(total, [](const Tensor& y) { return sqrt(y); });
}

}  // namespace eglantine::verbs
