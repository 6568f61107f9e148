#include "verbs/own_rule.hpp"

#include <algorithm>

#include "graph/node.hpp"

namespace eglantine::verbs {

Tensor with_own_rule(const Tensors& x, const std::function<Tensor(const Tensors& x)>& f,
                     std::function<Tensors(const Tensors& x, const Tensor& result, const Tensor& cotangent)> backward) {
  if (std::none_of(x.begin(), x.end(), [](const Tensor& each) { return each.node()->is_differentiated(); }))
    return f(x);
  const auto back = [backward = std::move(backward)](const Tensors& at, const Tensors& results, const Tensors& given) {
    return backward(at, results.front(), given.front());
  };
  return custom_vjp([&](const Tensors& at) { return Tensors{f(at)}; }, back)(x).front();
}

Tensor as_constant(const Tensor& x) { return x.node()->is_differentiated() ? stop_gradient(x) : x; }

}  // namespace eglantine::verbs
