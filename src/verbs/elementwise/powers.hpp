#pragma once

#include <optional>

#include "eglantine/tensor.hpp"

namespace eglantine::verbs {

/// x to the power of a number that a few products, a quotient or a root make: 1, 2, 3, 4, and of floats -3, -2, -1,
/// 1/2, 3/2 and their negatives. Of narrow types rounded once, at the end. None for other numbers.
std::optional<Tensor> power_of(const Tensor& x, double exponent);

}  // namespace eglantine::verbs
