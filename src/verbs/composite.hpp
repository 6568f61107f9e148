#pragma once

#include "eglantine/tensor.hpp"
#include "graph/node.hpp"

namespace eglantine::verbs {

/// What of.parts(of) makes, of this dtype and shape, as one node (nodes::Composite); where an argument is traced or a
/// constant, the nodes that it stands for.
Tensor composite(DType dtype, const Shape& shape, nodes::Composite of);

}  // namespace eglantine::verbs
