#pragma once

#include <optional>

#include "eglantine/tensor.hpp"
#include "graph/op/op.hpp"

namespace eglantine::verbs {

/// op (of x and y, or of x alone) as a constant, where both are f32 constants and it is neg, add, sub, mul or div, of
/// which gradients of means are made: correctly rounded by the host, which a device's quotient need not be. Nothing
/// otherwise, where numbers may be taken for 0 by a device, and in a plan's parts, whose constants stand for those of
/// other graphs, too.
std::optional<Tensor> folded(Op op, const Tensor& x, const Tensor& y, const Shape& shape);

}  // namespace eglantine::verbs
