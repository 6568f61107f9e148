#pragma once

#include "eglantine/verbs/convolution.hpp"

/// How the sum of a convolution's results, each times its cotangent, depends on what it was made of. Arguments are
/// those of a conv() that threw nothing, and the cotangents of its results; options.bias is not looked at.
namespace eglantine::verbs {

/// The cotangent of x: of each element the sum, over the windows that it is in, of their cotangents times what w has at
/// its place; 0 where no window is. gradient (n, out, windows...), or without n; w (out, channels / groups, kernel...);
/// the result is of x's shape. Types and accuracy as conv_transpose(), whose kernels these are.
Tensor conv_input_gradient(const Tensor& gradient, const Tensor& w, const Shape& x_shape, const ConvOptions& options);

/// The cotangent of w: of each element the sum over all windows of their cotangents times what they have of x at its
/// place. x (n, channels, spatial...), or without n; the result is of w's shape. Types as conv; error at most k eps
/// times the sum of absolute products, of k windows. Windows are read in place; a sum that is long beside the number of
/// results is cut into parts, which are added up in a fixed order.
Tensor conv_weight_gradient(const Tensor& gradient, const Tensor& x, const Shape& w_shape, const ConvOptions& options);

}  // namespace eglantine::verbs
