#pragma once

#include <cstdint>
#include <string_view>

#include "eglantine/tensor.hpp"

/// What the layers' constructors share.
namespace eglantine::nn::weights {

/// Throws ShapeError for less than 1.
void require_positive(std::string_view layer, std::string_view what, int64_t count);
/// Uniform within 1 / sqrt(fan_in), as weights and biases begin.
Tensor within(const Shape& shape, uint64_t seed, int64_t fan_in);

}  // namespace eglantine::nn::weights
