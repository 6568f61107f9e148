#pragma once

#include "eglantine/grad.hpp"
#include "graph/node.hpp"

namespace eglantine::verbs {

/// f(x) with a derivative of its own where a trace goes through x, as custom_vjp's; else f(x) alone. For verbs whose
/// derivative is a better kernel than those of what they are made of. What `backward` does not read need not stay in
/// memory for it.
Tensor with_own_rule(const Tensors& x, const std::function<Tensor(const Tensors& x)>& f,
                     std::function<Tensors(const Tensors& x, const Tensor& result, const Tensor& cotangent)> backward,
                     OwnReads reads = OwnReads::both);
/// The same of several results.
Tensors with_own_rule(const Tensors& x, const Function& f, Backward backward, OwnReads reads = OwnReads::both);

/// The same whether a trace goes through x or not.
Tensors with_own_derivative(const Tensors& x, const Function& f, Backward backward, OwnReads reads = OwnReads::both);

/// x where what is made of it does not depend on it, but for rounding: derivatives take it for a constant.
Tensor as_constant(const Tensor& x);

}  // namespace eglantine::verbs
