#pragma once

#include "eglantine/tensor.hpp"

/// More indexed reads and writes. Indices are as in indices.hpp: i32; negative ones count from the end; one out of
/// range is an IndexError on reading a result, at the latest. Results repeat their bits on one device; maxima, minima
/// and everything of integers have the same bits on all. Updates are converted to x's dtype where the two meet in it.
namespace eglantine {

/// x with y[index[i, j, k], j, k] *= updates[i, j, k] for axis 0, and so on: as scatter_add. Floats multiply in an
/// order that follows from the indices and shapes alone: n of them within n eps relative. f32, i32, u32 (wrap).
EGLANTINE_API Tensor scatter_mul(const Tensor& x, int axis, const Tensor& index, const Tensor& updates);

/// The same with the largest or smallest of the element and all updates that go to it; NaN if one is NaN, and -0 is
/// less than +0. f32, i32, u32.
EGLANTINE_API Tensor scatter_max(const Tensor& x, int axis, const Tensor& index, const Tensor& updates);
EGLANTINE_API Tensor scatter_min(const Tensor& x, int axis, const Tensor& index, const Tensor& updates);

/// y[i, j, k] = x[index[i, j, k], j, k] for axis 0, and so on: as gather, but x and index, of one rank, broadcast
/// against each other along the other axes, as in NumPy. The result has the shape of both, with the index's length
/// along `axis`.
EGLANTINE_API Tensor take_along_axis(const Tensor& x, const Tensor& index, int axis);

/// x with y[..., indices[i], ...] += updates[..., i, ...]: the slices of updates along `axis` added at the indices (of
/// rank 1), as often as one is named, in the order of scatter_add. updates has x's shape but for the axis, where it is
/// as long as the indices, else ShapeError. f32, i32, u32.
EGLANTINE_API Tensor index_add(const Tensor& x, int axis, const Tensor& indices, const Tensor& updates);

/// y[s] = the sum of the slices x[i] with segments[i] = s, for s in [0, count); 0 where there is none. segments has
/// rank 1 and x's first length, in any order. As other indices a negative one counts from the end, and one out of
/// range is an IndexError: nothing is dropped. f32 (in the order of scatter_add), i32, u32 (wrap); i8, u8 and booleans
/// as i32.
EGLANTINE_API Tensor segment_sum(const Tensor& x, const Tensor& segments, int64_t count);

/// The largest element instead: NaN if one is NaN; -infinity, or an integer's lowest, where there is none. f32, i32,
/// u32.
EGLANTINE_API Tensor segment_max(const Tensor& x, const Tensor& segments, int64_t count);

// Indices whose last axis holds the coordinates of an element, or of a slice, in x's first axes (after `batch` ones).
// An IndexError names the place of the coordinates and the axis that one of them misses. x may have up to 2^31 - 1
// elements or slices that they tell apart, else ShapeError.

/// y[b, i] = x[b, indices[b, i, 0], indices[b, i, 1], ...]: with (b) the first `batch` axes, which x and indices share,
/// and (i) the other axes of indices but its last, of length n >= 1; the result has shape (b, i) + x's axes from batch
/// + n on. Throws ShapeError where the coordinates are more than x's axes, or the result's rank passes 8.
EGLANTINE_API Tensor gather_nd(const Tensor& x, const Tensor& indices, int batch = 0);

/// x with y[indices[i, 0], indices[i, 1], ...] = updates[i]: of several updates to one element the last in row-major
/// order wins. updates has the shape (i) + x's axes from n on, else ShapeError.
EGLANTINE_API Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates);

/// The same, but adds, in the order of scatter_add. f32, i32, u32.
EGLANTINE_API Tensor scatter_nd_add(const Tensor& x, const Tensor& indices, const Tensor& updates);

}  // namespace eglantine
