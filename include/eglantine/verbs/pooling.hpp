#pragma once

#include <utility>

#include "eglantine/spatial.hpp"
#include "eglantine/tensor.hpp"

/// Pools, as PyTorch's, and channels as places. A pool's x is (n, channels, spatial...) with 1 to 3 spatial axes; where
/// its window or sizes are in braces, one number for each of these, x may be (channels, spatial...), too. Else
/// ShapeError. A pool reads its windows in place: no tensor of all windows is stored.
namespace eglantine {

/// How windows lie along the spatial axes: window o of an axis has its elements j at o * stride + j * dilation of the
/// padded axis. There are floor((length + before + after - (window - 1) * dilation - 1) / stride) + 1 of them; under
/// ceil_mode the quotient is rounded up, and a window that would start past the input and the padding in front is
/// dropped: what lies beyond the padding counts nowhere.
/// Windows, strides and dilations are at least 1, pads are not negative, and the first window fits the padded axis
/// (under ceil_mode but for stride - 1 elements), else ShapeError that names the axis and both lengths.
struct PoolOptions {
  PerAxis stride = {};        ///< none: the window
  Pads padding = 0;           ///< any amount, as long as each window that needs it has an element of x
  PerAxis dilation = 1;       ///< between the elements of a window
  bool ceil_mode = false;     ///< whether the last window may reach past the padding
  bool count_padding = true;  ///< of avg_pool: whether the padding is part of the mean, as zeros
};

/// The largest element of each window, of every dtype, which it keeps; of booleans whether any is true. A NaN is the
/// largest. Padding never wins: a window of padding alone is a ShapeError. One kernel.
EGLANTINE_API Tensor max_pool(const Tensor& x, const PerAxis& window, const PoolOptions& options = {});

/// The same, and where these elements are: i32, row-major numbers over x's spatial axes, of which x has at most
/// 2^31 - 1 elements, else ShapeError. Of equals the first, of NaNs too. Two kernels.
EGLANTINE_API std::pair<Tensor, Tensor> max_pool_with_indices(const Tensor& x, const PerAxis& window,
                                                              const PoolOptions& options = {});

/// sum / count over each window, as f32 (f16 and bf16 keep theirs). count: of a window's elements within the padded
/// axes, or, unless count_padding, within x, where a window of padding alone, and an axis that spans more than
/// 2^31 - 1 elements with its padding, is a ShapeError. The sum's error is sum()'s. One kernel.
EGLANTINE_API Tensor avg_pool(const Tensor& x, const PerAxis& window, const PoolOptions& options = {});

/// (sum of x^p)^(1 / p) over each window, as f32 (f16 and bf16 keep theirs): PyTorch's formula, of x^p and not of
/// |x|^p. At p = 1 it is the sum; where p is odd or a fraction, negative elements may make it NaN (take abs(x)).
/// Padding is 0. p is positive and f32 holds it and its reciprocal as normal numbers, else Error. Powers may overflow
/// or underflow; else the error is sum()'s of the powers, and 8 ULP for each power. Under ceil_mode the sum is of what
/// there is, where PyTorch scales it up to a whole window. One kernel.
EGLANTINE_API Tensor lp_pool(const Tensor& x, double p, const PerAxis& window, const PoolOptions& options = {});

/// The mean, or the largest element, of `sizes` windows along the spatial axes that cover x: window i of s along an
/// axis of n elements goes from floor(i * n / s) up to ceil((i + 1) * n / s). dtypes and error as avg_pool and
/// max_pool. One kernel. Where the windows of an axis differ in length or distance (s does not divide n), x has at most
/// 2^31 - 1 elements along its spatial axes, else ShapeError; where they then have more than 32 elements, or a
/// derivative is taken by x, means add in another order, so that their last bits may differ, and the CPU backend takes
/// two kernels and a tensor of all windows between them, as do devices of which one storage binding does not cover a
/// picture of one channel. Throws ShapeError for a negative size, and for windows of an axis without elements.
EGLANTINE_API Tensor adaptive_avg_pool(const Tensor& x, const PerAxis& sizes);
EGLANTINE_API Tensor adaptive_max_pool(const Tensor& x, const PerAxis& sizes);

// Of x (..., channels, height, width), any dtype: the same elements in another order; a view where strides express it,
// else one kernel, into which x's expression fuses. Throws ShapeError for fewer than 3 axes, a block below 1, and
// lengths that it (or, of channels, its square) does not divide.

/// (..., block * block * c, h, w) as (..., c, h * block, w * block): each place becomes a block of places. Channels are
/// (row of the block, column, c), as ONNX's DepthToSpace in mode DCR.
EGLANTINE_API Tensor depth_to_space(const Tensor& x, int64_t block);
/// The inverse of depth_to_space: (..., c, h, w) as (..., block * block * c, h / block, w / block).
EGLANTINE_API Tensor space_to_depth(const Tensor& x, int64_t block);
/// As depth_to_space, of channels that are (c, row of the block, column). Shi and others, "Real-time single image and
/// video super-resolution using an efficient sub-pixel convolutional neural network" (2016).
EGLANTINE_API Tensor pixel_shuffle(const Tensor& x, int64_t block);
/// The inverse of pixel_shuffle.
EGLANTINE_API Tensor pixel_unshuffle(const Tensor& x, int64_t block);

}  // namespace eglantine
