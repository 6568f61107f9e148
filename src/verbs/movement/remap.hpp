#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "layout/axis_map.hpp"

/// Tensors whose elements are those of another one along piecewise linear coordinates.
namespace eglantine::verbs {

/// x's elements at the coordinates that the maps give, one for each axis, and `fill` where one gives none. Read in
/// place; along axes that shaders cannot count, as placed(). Of a transposed x a view, stored as x lies in memory.
Tensor remapped(const Tensor& x, std::vector<layout::AxisMap> axes, uint32_t fill = 0);
/// The same in memory of its own: a kernel for each combination of pieces.
Tensor placed(const Tensor& x, const std::vector<layout::AxisMap>& axes, uint32_t fill);

}  // namespace eglantine::verbs
