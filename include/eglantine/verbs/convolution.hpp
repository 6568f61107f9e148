#pragma once

#include "eglantine/spatial.hpp"
#include "eglantine/tensor.hpp"

/// Convolutions of 1 to 3 spatial axes.
namespace eglantine {

/// How windows slide over x, and how its channels fall into groups.
struct ConvOptions {
  PerAxis stride = 1;    ///< from one window to the next; at least 1
  Pads padding = 0;      ///< zeros around x
  PerAxis dilation = 1;  ///< from one element of a window to the next; at least 1
  int64_t groups = 1;    ///< of channels, and of results, that know nothing of the others; a channel each: depthwise
  Tensor bias = {};      ///< (out), added to each result
};

/// out[n, o, p...] = bias[o] + sum over c and j... of w[o, c, j...] * x[n, first + c, p * stride + j * dilation -
/// before...]: the cross-correlation that networks call a convolution, as PyTorch's. x (n, channels, spatial...), or
/// without n; w (out, channels / groups, kernel...); results (n, out, windows...), floor((before + length + after -
/// (kernel - 1) * dilation - 1) / stride) + 1 windows along each axis, or of Padding::same ceil(length / stride).
/// `first`: the first channel of o's group. f32, f16 and bf16 (sums in f32, rounded once), i32 and u32 (modulo 2^32),
/// i8 and u8 (sums in i32, the result's dtype); types meet by result_type. Error at most k eps times the sum of
/// absolute products, of k products, as matmul. x is read in place: one kernel, into which what follows fuses.
/// Throws ShapeError where channels, groups, kernel, options or bias do not fit, DTypeError for booleans.
EGLANTINE_API Tensor conv(const Tensor& x, const Tensor& w, const ConvOptions& options = {});

}  // namespace eglantine
