#pragma once

#include "verbs/network/pooling/pool.hpp"

namespace eglantine::verbs {

/// The smallest number of a dtype, which no element is below: max_pool's padding.
float lowest_of(DType dtype);

/// The first place in each window that holds its largest element, a NaN among them, numbered in row-major order over
/// x's spatial axes: i32. `values` are the windows' largest elements. Throws ShapeError for more than 2^31 - 1 places.
Tensor places_of_largest(const Pool& pool, const Tensor& values);

/// What max_pool's values (floats) give back to x: each window's cotangent, at its first largest element; of a window
/// that has NaNs and infinities, at the first of these.
Tensor cotangent_of_largest(const Pool& pool, const Tensor& values, const Tensor& g);

}  // namespace eglantine::verbs
