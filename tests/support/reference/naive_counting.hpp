#pragma once

#include "support/array.hpp"

/// The verbs of counting.hpp as naive loops.
namespace eglantine::test::naive {

/// Counts the elements before each value in its row.
Array searchsorted(const Array& sorted, const Array& values, bool right);
Array bincount(const Array& x, int64_t minlength = 0);
Array bincount(const Array& x, const Array& weights, int64_t minlength = 0);
/// Compares each element with every edge.
Array histogram(const Array& x, const Array& edges);

struct Unique {
  Array values, indices, inverse, counts;
};
Unique unique_all(const Array& x);

}  // namespace eglantine::test::naive
