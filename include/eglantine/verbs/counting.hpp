#pragma once

#include <utility>

#include "eglantine/tensor.hpp"

/// Searching in what is sorted, and counting what occurs. Counts and places are i32.
namespace eglantine {

/// Where each value would be put into `sorted` to keep it in order: before elements equal to it, or with `right` after
/// them. That is how many elements are less than it (or not greater), in the order of sort(): NaN comes last and equals
/// NaN, -0 equals +0. sorted has rank 1, or one row (along its last axis) for each row of values, and then their other
/// axes; it is not checked to be in order. Every dtype; of two, both as result_type. i32 of the values' shape.
/// One kernel, a binary search for each value. Throws ShapeError for a scalar `sorted`, other axes that differ, and a
/// row longer than 2^31 - 1.
EGLANTINE_API Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false);

/// y[i] = how often i occurs in x, of rank 1 and integers or booleans; i32. With weights, of x's shape, y[i] = the sum
/// of the weights of its occurrences, f32 of any dtype of weights, in the order of scatter_add.
/// As long as the largest number + 1, or minlength: this waits for x. Throws IndexError for a negative number,
/// ShapeError (another rank, weights of another shape, a negative minlength, more than 2^31 - 1 numbers or elements),
/// DTypeError (x of floats).
EGLANTINE_API Tensor bincount(const Tensor& x, const Tensor& weights = {}, int64_t minlength = 0);

/// { counts, edges }: edges = linspace(low, high, bins + 1), and counts[i] = how many elements of x, as f32, lie in
/// [edges[i], edges[i + 1]); in the last bin at the last edge, too. What lies outside, and NaN, is not counted. counts:
/// i32 of shape (bins). One pass over x finds the bins, where they are not very narrow by division and one comparison;
/// a second one counts them. Throws ShapeError (bins < 1 or too many, more than 2^31 - 1 elements), Error unless low <
/// high and both are finite.
EGLANTINE_API std::pair<Tensor, Tensor> histogram(const Tensor& x, int64_t bins, float low, float high);

/// What the functions below give.
struct UniqueAll {
  Tensor values;           ///< each value once, in the order of sort(): rank 1
  Tensor indices;          ///< the first place of each in x flattened; i32
  Tensor inverse_indices;  ///< x's shape; values[inverse_indices[i]] = x[i]; i32
  Tensor counts;           ///< how often each occurs; i32
};
struct UniqueCounts {
  Tensor values, counts;
};
struct UniqueInverse {
  Tensor values, inverse_indices;
};

/// The different values of x, of any shape: once each, in order. NaN equals NaN and comes last, -0 equals +0: the first
/// in x stands for both. How many there are depends on data: these wait for it. Every dtype. One sort; what is not read
/// of the results is not computed. Throws ShapeError for more than 2^31 - 1 elements.
EGLANTINE_API UniqueAll unique_all(const Tensor& x);
EGLANTINE_API UniqueCounts unique_counts(const Tensor& x);
EGLANTINE_API UniqueInverse unique_inverse(const Tensor& x);
EGLANTINE_API Tensor unique_values(const Tensor& x);

}  // namespace eglantine
