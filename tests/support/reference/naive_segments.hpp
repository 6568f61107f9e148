#pragma once

#include <functional>

#include "support/array.hpp"

/// The verbs of segments.hpp as naive loops in double. Indices are in range.
namespace eglantine::test::naive {

using Combine = std::function<double(double element, double update)>;

inline double put(double, double update) { return update; }
inline double added(double a, double b) { return a + b; }
inline double multiplied(double a, double b) { return a * b; }
double larger(double a, double b);   ///< NaN if either is
double smaller(double a, double b);  ///< likewise

/// Of integers each step wraps.
Array scatter_with(const Array& x, int64_t axis, const Array& index, const Array& updates, const Combine& combine);
Array take_along_axis(const Array& x, const Array& index, int64_t axis);
Array index_add(const Array& x, int64_t axis, const Array& indices, const Array& updates);
/// Each segment starts from `start`.
Array segments(const Array& x, const Array& numbers, int64_t count, double start, const Combine& combine);
Array gather_nd(const Array& x, const Array& indices, int64_t batch = 0);
Array scatter_nd(const Array& x, const Array& indices, const Array& updates, const Combine& combine);

/// Tuples of coordinates in the last of the axes, for the axes of x from `batch` on, counted from both ends.
Array random_coordinates(const Dims& places, const Dims& x, int64_t count, int64_t batch = 0, uint64_t seed = 1);

}  // namespace eglantine::test::naive
