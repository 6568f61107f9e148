#pragma once

#include "eglantine/tensor.hpp"

namespace eglantine::verbs {

/// x in another shape, written before it is read: kernels that read it compute in its new shape, not in x's.
Tensor in_shape(const Tensor& x, const Shape& shape);

}  // namespace eglantine::verbs
