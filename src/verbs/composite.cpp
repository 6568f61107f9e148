#include "verbs/composite.hpp"

#include <algorithm>

#include "evaluate/pend.hpp"

namespace eglantine::verbs {

Tensor composite(DType dtype, const Shape& shape, nodes::Composite of) {
  const bool is_one = std::none_of(of.args.begin(), of.args.end(),
                                   [](const NodePtr& arg) { return arg->is_traced() || arg->as<nodes::Constant>(); });
  return is_one ? pend(make_composite(dtype, shape, std::move(of))) : Tensor(of.parts(of));
}

}  // namespace eglantine::verbs
