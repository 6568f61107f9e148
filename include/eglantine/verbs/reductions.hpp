#pragma once

#include "eglantine/tensor.hpp"

/// Reductions over the axes named, `{}` means all; they are dropped, or kept with length 1. softmax and its kin.
namespace eglantine {

/// Sum; 0 over nothing. f32 (error at most (128 + log2 n) eps times the sum of absolute values, added in a fixed order:
/// the same bits on every device and run for operands of one layout, docs/reduction-tree.md), i32, u32 (wrap); i8, u8
/// and boolean count in i32.
EGLANTINE_API Tensor sum(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Product; 1 over nothing. f32 (n eps relative), i32, u32 (wrap); i8, u8 and boolean in i32.
EGLANTINE_API Tensor prod(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Largest; NaN when there is one. Throws ShapeError over nothing. f32, i32, u32, boolean.
EGLANTINE_API Tensor max(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Smallest; NaN when there is one. Throws ShapeError over nothing. f32, i32, u32, boolean.
EGLANTINE_API Tensor min(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// sum / n. On GPUs, computed together with a variance of the same columns, or of all elements, it may be the mean of
/// equal parts' means, which is rounded otherwise and overflows later (docs/rows.md); and of all elements of operands
/// in several orders it is added in one of the device's own (docs/reduction-tree.md). Throws ShapeError over nothing.
/// f32.
EGLANTINE_API Tensor mean(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// sum((x - mean(x))^2) / (n - correction); where n <= correction the divisor is 0. Reads x once where a kernel takes a
/// row or its equal parts, on GPUs for the mean of the same rows as well; else twice. Throws ShapeError over nothing,
/// Error for a correction that is not finite. f32; 1e-5 relative plus 1e-6 of the square of the mean.
EGLANTINE_API Tensor var(const Tensor& x, Axes axes = {}, bool keepdims = false, double correction = 0);

/// Whether any, or all, are true (x != 0); false and true over nothing. Every dtype to boolean.
EGLANTINE_API Tensor any(const Tensor& x, Axes axes = {}, bool keepdims = false);
EGLANTINE_API Tensor all(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// log(sum(exp(x))), finite where the result is; -inf over nothing or over -inf alone. f32, 1e-6 relative or absolute.
EGLANTINE_API Tensor logsumexp(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Index along `axis` of the largest, or smallest; the first of equals, the first NaN when there is one. i32. Throws
/// ShapeError along a length of 0. f32, i32, u32, boolean.
EGLANTINE_API Tensor argmax(const Tensor& x, int axis, bool keepdims = false);
EGLANTINE_API Tensor argmin(const Tensor& x, int axis, bool keepdims = false);

/// exp(x - logsumexp(x)) along `axis`: sums to 1. f32, 1e-6 relative or absolute.
EGLANTINE_API Tensor softmax(const Tensor& x, int axis);

/// x - logsumexp(x) along `axis`. f32, 1e-6 relative or absolute.
EGLANTINE_API Tensor log_softmax(const Tensor& x, int axis);

/// Sum of the products of a and b over the given axes: y = sum(a * b, axes).
/// One kernel; no tensor of the broadcast shape is ever stored. Floats add in the fixed order of sum(). f32, i32, u32;
/// i8 and u8 in i32.
EGLANTINE_API Tensor multiply_sum(const Tensor& a, const Tensor& b, Axes axes, bool keepdims = false);

}  // namespace eglantine
