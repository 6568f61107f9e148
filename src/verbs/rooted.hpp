#pragma once

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "graph/node.hpp"
#include "verbs/own_rule.hpp"

namespace eglantine::verbs {

/// root(total), of which the derivative is 0 where the total is, instead of 0 times infinity.
template <class Root>
Tensor rooted(const Tensor& total, Root root) {
  if (!total.node()->is_differentiated()) return root(total);
  const Tensor zero = total == 0;
  return where(zero, stop_gradient(root(total)), root(where(zero, 1, total)));
}
/// Of the root itself, in fewer kernels.
inline Tensor square_root(const Tensor& total) {
  const auto back = [](const Tensors&, const Tensor& root, const Tensor& g) {
    const Tensor zero = root == 0;
    return Tensors{where(zero, 0, g * 0.5F / where(zero, 1, root))};
  };
  return with_own_rule(
      {total}, [](const Tensors& x) { return sqrt(x[0]); }, back, OwnReads::results);
}

}  // namespace eglantine::verbs
