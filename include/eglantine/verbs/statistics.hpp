#pragma once

#include <utility>

#include "eglantine/tensor.hpp"

/// Statistics. Those with axes are reductions: `{}` means all, and the axes are dropped, or kept with length 1. Unless
/// a comment names dtypes, f32, f16 and bf16, and integers and booleans as f32.
namespace eglantine {

/// sqrt(var(x, axes, keepdims, correction)): the standard deviation. 1e-5 relative plus 1e-3 of the mean's magnitude
/// where that is larger. Errors as var.
EGLANTINE_API Tensor stddev(const Tensor& x, Axes axes = {}, bool keepdims = false, double correction = 0);

/// mean(x) and var(x), both from one reading of x where a kernel takes a row, or where the lengths of the axes divide
/// into parts that it takes; else from two. Accuracy and errors as theirs.
EGLANTINE_API std::pair<Tensor, Tensor> moments(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Of the elements: sum(|x|^ord)^(1 / ord); for ord infinity max(|x|), for -infinity min(|x|), for 0 the number of
/// elements that are not 0 (NaN counts). As NumPy, nothing is scaled: squares beyond 3.4e38 are infinity, those below
/// 1.2e-38 may count as 0. Over nothing 0, infinity for a negative ord; of an infinite ord a ShapeError.
/// Throws Error for an ord that is NaN, or that f32 holds neither itself nor its reciprocal of.
EGLANTINE_API Tensor norm(const Tensor& x, Axes axes = {}, bool keepdims = false, double ord = 2);

/// The number of elements that are not 0; NaN counts. Every dtype to i32. Throws ShapeError over more than 2^31 - 1.
EGLANTINE_API Tensor count_nonzero(const Tensor& x, Axes axes = {}, bool keepdims = false);

// NaN counts as missing: these are what their kin without "nan" are of the other elements.

/// Sum; 0 of NaN alone or over nothing. Dtypes and accuracy as sum.
EGLANTINE_API Tensor nansum(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Mean; NaN of NaN alone. Throws ShapeError over nothing. Reads x twice.
EGLANTINE_API Tensor nanmean(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// Largest, smallest; NaN of NaN alone. Throws ShapeError over nothing. f32, i32, u32, boolean keep their dtype.
EGLANTINE_API Tensor nanmax(const Tensor& x, Axes axes = {}, bool keepdims = false);
EGLANTINE_API Tensor nanmin(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// The middle element in order, or the mean of the two middle ones of an even number; NaN when there is one. Sorts.
/// Every dtype to f32, correctly rounded; f16 and bf16 stay. Throws ShapeError over nothing.
EGLANTINE_API Tensor median(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// The element at place q (n - 1) in order, places counted from 0; between two places the linear interpolation, where
/// an infinite neighbour gives that infinity, and infinities of both signs NaN. NaN when there is one. Sorts, but for q
/// 0 and 1. Every dtype to f32, f16 and bf16 stay; 1 ULP of the larger neighbour. Throws Error unless 0 <= q <= 1,
/// ShapeError over nothing.
EGLANTINE_API Tensor quantile(const Tensor& x, double q, Axes axes = {}, bool keepdims = false);

/// max(x) - min(x): peak to peak; NaN when there is one. f32, i32, u32 (wrap). Throws ShapeError over nothing.
EGLANTINE_API Tensor ptp(const Tensor& x, Axes axes = {}, bool keepdims = false);

/// sum(x * weights) / sum(weights). Weights of one axis lie along the axis that is averaged, where that is one, as
/// NumPy's; others broadcast to x. Weights that add up to 0 give NaN or an infinity. Throws
/// ShapeError over nothing.
EGLANTINE_API Tensor average(const Tensor& x, const Tensor& weights, Axes axes = {}, bool keepdims = false);

/// Place in row-major order of the largest, or smallest, element; the first of equals, the first NaN when there is one.
/// i32 of rank 0. Throws ShapeError of nothing, and of more than 2^31 - 1 elements. f32, i32, u32, boolean.
EGLANTINE_API Tensor argmax(const Tensor& x);
EGLANTINE_API Tensor argmin(const Tensor& x);

/// Sum over the diagonal of the last two axes, which are dropped; the others are batches. Dtypes and accuracy as sum.
/// Throws ShapeError below rank 2.
EGLANTINE_API Tensor trace(const Tensor& x);

/// Covariances: c[i, j] = sum over k of (x[i, k] - mean(x[i])) (x[j, k] - mean(x[j])) / (n - correction), for x of
/// shape (variables, n); where n <= correction the divisor is 0. Rank 1 is one variable and gives rank 0. Products add
/// as matmul's. Throws ShapeError above rank 2 and for n = 0, Error for a correction that is not finite.
EGLANTINE_API Tensor cov(const Tensor& x, double correction = 1);

/// Correlations: c[i, j] / sqrt(c[i, i] c[j, j]) with c = cov(x), clipped to [-1, 1]: symmetric, and within 2 ULP of 1
/// on the diagonal. NaN for a variable that does not vary, or whose deviations' squares overflow f32 (from 1.8e19 on)
/// or are below 1.2e-38. Shapes and errors as cov.
EGLANTINE_API Tensor corrcoef(const Tensor& x);

/// The n-th difference along `axis`: x[i + 1] - x[i], n times; n = 0 is x, and beyond the length nothing is left. f32,
/// i32, u32 (wrap), boolean (whether neighbours differ). Throws Error for a negative n, ShapeError for a scalar.
EGLANTINE_API Tensor diff(const Tensor& x, int64_t n = 1, int axis = -1);

/// log(sum(exp(x[0..i]))) along `axis`, as the scans of scans.hpp (their exclusive and reverse, too): combines partial
/// results by a + log(1 + exp(b - a)), so that it is finite where the result is; -inf as long as all are, NaN from the
/// first NaN on. Error at most (128 + log2 n) eps, relative or absolute, whichever is larger.
EGLANTINE_API Tensor logcumsumexp(const Tensor& x, int axis, bool exclusive = false, bool reverse = false);

}  // namespace eglantine
