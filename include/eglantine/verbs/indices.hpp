#pragma once

#include "eglantine/tensor.hpp"

/// Indices are i32, else DTypeError; negative ones count from the end. One out of range is an IndexError, with its
/// value and its place, thrown when a result is read, at the latest; nothing outside is read or written
/// (docs/indices.md). An axis longer than 2^31 - 1, or more than 2^32 - 2 indices, is a ShapeError.
namespace eglantine {

/// x's slices along `axis` at the indices: y[..., i..., ...] = x[..., indices[i...], ...]; the axis is replaced by the
/// index tensor's axes. Throws ShapeError when the result's rank passes 8.
EGLANTINE_API Tensor take(const Tensor& x, const Tensor& indices, int axis);

/// y[i, j, k] = x[index[i, j, k], j, k] for axis 0, and so on. index has x's rank; along the other axes it is no longer
/// than x, else ShapeError. The result has its shape.
EGLANTINE_API Tensor gather(const Tensor& x, int axis, const Tensor& index);

/// x with y[index[i, j, k], j, k] = updates[i, j, k] for axis 0, and so on. Of several updates to one element the last
/// in row-major order wins. index and updates have one shape, of x's rank, no longer than x along the other axes, else
/// ShapeError; updates are converted to x's dtype where the two meet in it, else DTypeError.
EGLANTINE_API Tensor scatter(const Tensor& x, int axis, const Tensor& index, const Tensor& updates);

/// x with y[index[i, j, k], j, k] += updates[i, j, k]. f32 (the same bits on every run on one device), i32, u32 (wrap).
EGLANTINE_API Tensor scatter_add(const Tensor& x, int axis, const Tensor& index, const Tensor& updates);

/// f32 of shape indices.shape + (depth): 1 at the index, 0 elsewhere. Throws ShapeError when depth is negative or above
/// 2^31 - 1, for indices of rank 8, and for more elements than can be addressed.
EGLANTINE_API Tensor one_hot(const Tensor& indices, int64_t depth);

// The shapes of these depend on data: they wait for it. More than 2^31 - 1 elements of a mask, or of what unique takes,
// are a ShapeError.

/// The elements (or, when the mask has a lower rank, the slices) of x where the mask is true, in row-major order, along
/// one new first axis. The mask is boolean; its shape is that of x's first axes, else ShapeError, as
/// for a scalar mask of a tensor of rank 8.
EGLANTINE_API Tensor compress(const Tensor& x, const Tensor& mask);

/// The coordinates at which the mask is true, in row-major order: i32 of shape (count, rank). Boolean.
EGLANTINE_API Tensor nonzero(const Tensor& mask);

/// The first of each run of equal elements of a tensor of rank 1, else ShapeError: each value once when it is sorted.
/// NaN equals NaN, -0 equals +0. Every dtype.
EGLANTINE_API Tensor unique(const Tensor& sorted);

}  // namespace eglantine
