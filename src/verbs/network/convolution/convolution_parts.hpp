#pragma once

#include <string_view>
#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/network/spatial.hpp"

/// What convolutions, transposed ones and their gradients have in common.
namespace eglantine::verbs {

/// The dtype that the operands meet in. Throws as conv() of types and devices; the bias may be none.
DType convolution_dtype(std::string_view function, const Tensor& x, const Tensor& w, const Tensor& bias);

/// Throws ShapeError unless w is of 1 to 3 spatial axes, x has as many, with or without n, the kernel has a place along
/// each, and there is a group. `weights`: w's axes, for errors.
void require_ranks(std::string_view function, const Shape& x, const Shape& w, std::string_view weights, int64_t groups);
/// Throws ShapeError unless the bias, if there is one, has one number for each result that `axis` of the weights gives
/// in each of the groups.
void require_bias(std::string_view function, const Tensor& bias, const Shape& w, int axis, int64_t groups = 1);

/// What the options say of x's spatial axes, from `first` on; w's are those of its kernel. Throws as spatial_axes().
WindowRule window_rule(std::string_view function, const Shape& x, int first, const Shape& w, const PerAxis& stride,
                       const Pads& padding, const PerAxis& dilation);

Shape joined(Shape front, const Shape& behind);
Shape lengths_from(const Shape& shape, int first);  ///< of the axes from `first` on
Shape outputs_of(const std::vector<SpatialAxis>& axes);

/// x's windows: (n, channels, windows..., kernel...). x may have its channels in two axes.
Tensor windows_of(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes);

/// Axes [0, rank) with those of windows, `count` of them from `first` on, before the channels at `first` - 1.
Axes channels_behind_windows(int rank, int first, int count);

/// result + bias, one number for each channel, axis 1.
Tensor with_bias(const Tensor& result, const Tensor& bias);

}  // namespace eglantine::verbs
