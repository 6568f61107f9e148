#pragma once

#include <utility>

#include "eglantine/tensor.hpp"

/// Stable: equal keys keep their order, descending too. NaN comes last, ascending and descending; -0 equals +0; false
/// comes before true. Every dtype. Places are i32: a row longer than 2^31 - 1 is a ShapeError.
namespace eglantine {

/// The elements in order along `axis`. Throws ShapeError for a scalar.
EGLANTINE_API Tensor sort(const Tensor& x, int axis = -1, bool descending = false);

/// Where the elements of sort(x, axis, descending) stand in x. i32.
EGLANTINE_API Tensor argsort(const Tensor& x, int axis = -1, bool descending = false);

/// The k largest along `axis`, largest first, or the k smallest, smallest first, and their places (i32); of equals the
/// first ones. NaN comes last both ways, as in sort(). Throws ShapeError unless 0 <= k <= the axis's length.
EGLANTINE_API std::pair<Tensor, Tensor> topk(const Tensor& x, int64_t k, int axis = -1, bool largest = true);

/// The keys in order along the last axis, and the values moved along with them. Values of any dtype, of the keys'
/// shape, else ShapeError.
EGLANTINE_API std::pair<Tensor, Tensor> sort_by_key(const Tensor& keys, const Tensor& values, bool descending = false);

}  // namespace eglantine
