#pragma once

#include "support/array.hpp"

/// The index verbs as naive loops; floats are added in double. Indices are in range.
namespace eglantine::test::naive {

Array take(const Array& x, const Array& indices, int64_t axis);
Array gather(const Array& x, int64_t axis, const Array& index);
Array scatter(const Array& x, int64_t axis, const Array& index, const Array& updates);
Array scatter_add(const Array& x, int64_t axis, const Array& index, const Array& updates);
Array one_hot(const Array& indices, int64_t depth);
Array compress(const Array& x, const Array& mask);
Array nonzero(const Array& mask);
Array unique(const Array& sorted);

/// Indices of an axis, counted from both ends; with enough of them, each possible one repeats.
Array random_indices(const Dims& shape, int64_t length, uint64_t seed = 1);

}  // namespace eglantine::test::naive
