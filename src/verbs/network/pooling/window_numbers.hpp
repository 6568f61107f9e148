#pragma once

#include <vector>

#include "verbs/network/pooling/pool.hpp"

/// Which element of its window is the largest, as a number: row-major, of the places from the window's first on. A
/// number is one byte where it fits: what a gradient waits for is memory.
namespace eglantine::verbs {

/// How many windows cover one element of an axis, at most.
inline int64_t covering(const SpatialAxis& axis) { return (axis.extent() + axis.stride - 1) / axis.stride; }

/// Places along an axis that numbers tell apart: an element's place is less in each window that may cover it.
inline int64_t places_along(const SpatialAxis& axis) { return covering(axis) * axis.stride; }

int64_t numbers_in(const Pool& pool);

/// Of the places along each axis.
template <class Place>
Place number_of(const Pool& pool, const std::vector<Place>& places) {
  Place number = places.front();
  for (size_t k = 1; k < places.size(); ++k)
    number = number * static_cast<int32_t>(places_along(pool.axes[k])) + places[k];
  return number;
}

/// 0, 1, ... along one of x's axes, of another length: i32, of length 1 along the others.
Tensor along(const Pool& pool, int axis, int64_t length);

/// The number of each window's first largest element: one that is not below `bound`, which padding always is. Of a
/// window with a NaN, only infinity and NaNs are not below infinity; of one with negative infinity alone, it is the
/// first element. u8, or i32 where numbers_in() takes more than a byte.
Tensor numbers_of_largest(const Pool& pool, const Tensor& values);

}  // namespace eglantine::verbs
