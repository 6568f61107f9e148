#include "verbs/in_shape.hpp"

#include "layout/layout.hpp"
#include "verbs/build.hpp"

namespace eglantine::verbs {

Tensor in_shape(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  nodes::Placement whole{{x.node()}, {layout::contiguous(x.shape())}, std::nullopt};
  return pend(make_placement(shape, x.dtype(), x.node()->device, std::move(whole)));
}

}  // namespace eglantine::verbs
