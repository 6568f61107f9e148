#pragma once

#include <optional>

#include "eglantine/tensor.hpp"

namespace eglantine::verbs {

/// linspace(start, stop, count) in f32 with the same bits, in memory, which the device keeps for the next who asks: for
/// reading alone. Nothing of many elements, or of denormals.
std::optional<Tensor> few_on_a_line(float start, float stop, int64_t count, const Device& device);

}  // namespace eglantine::verbs
