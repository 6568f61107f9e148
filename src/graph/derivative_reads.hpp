#pragma once

#include <array>

#include "graph/op/op.hpp"

namespace eglantine {

/// What the formula of a derivative reads beside the result's cotangent (EG_DERIVATIVE in ops.def).
struct DerivativeReads {
  std::array<bool, 3> arguments{};
  bool result = false;
};

/// Of the derivative of `op` by one of its arguments; nothing where there is none.
DerivativeReads reads_of_derivative(Op op, size_t argument);

}  // namespace eglantine
