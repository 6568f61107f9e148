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

/// How the kernel spreads each element of x, and how channels fall into groups.
struct ConvTransposeOptions {
  PerAxis stride = 1;          ///< from where one element goes to where the next goes; at least 1
  Pads padding = 0;            ///< elements cut off the result's sides
  PerAxis dilation = 1;        ///< from one place of the kernel to the next; at least 1
  int64_t groups = 1;          ///< as of ConvOptions
  PerAxis output_padding = 0;  ///< elements more behind the result, less than the stride or the dilation
  Tensor bias = {};            ///< (out), added to each result
};

/// out[n, o, p...] = bias[o] + sum over c and j... of w[o, c, j...] * x[n, first + c, p * stride + j * dilation -
/// before...]: the cross-correlation that networks call a convolution, as PyTorch's. x (n, channels, spatial...), or
/// without n; w (out, channels / groups, kernel...); results (n, out, windows...), floor((before + length + after -
/// (kernel - 1) * dilation - 1) / stride) + 1 windows along each axis, or of Padding::same ceil(length / stride).
/// `first`: the first channel of o's group. f32, f16 and bf16 (sums in f32, rounded once), i32 and u32 (modulo 2^32),
/// i8 and u8 (sums in i32, the result's dtype); types meet by result_type. Error at most k eps times the sum of
/// absolute products, of k products, as matmul. One kernel, into which what follows fuses: x is read in place, but that
/// software devices store a padded copy first where windows are many and overlap (docs/convolution.md).
/// Throws ShapeError where channels, groups, kernel, options or bias do not fit, DTypeError for booleans.
EGLANTINE_API Tensor conv(const Tensor& x, const Tensor& w, const ConvOptions& options = {});

/// out[n, o, q...] = bias[o] + sum over c, and over p... and j... with p * stride + j * dilation - before = q, of
/// x[n, c, p...] * w[c, o - first, j...]: how conv()'s result depends on its x, transposed, as PyTorch's. x (n,
/// channels, spatial...), or without n; w (channels, out / groups, kernel...); results (n, out, lengths...), (length -
/// 1) * stride - before - after + (kernel - 1) * dilation + output_padding + 1 along each axis, or of Padding::same
/// length * stride, which the longest conv() of such padding makes to `length`. c: the channels of o's group; `first`:
/// the group's first result. Types and accuracy as of conv, of the products that meet an element. x and w are read in
/// place, and no product is made with what lies between the elements that a stride spreads: one kernel where all
/// elements of the result meet as much of the kernel, else at most four for each axis, and one for a bias.
/// Throws as conv; ShapeError also where padding leaves no element, for an output_padding that is neither less than the
/// stride nor than the dilation, and for one beside Padding::same.
EGLANTINE_API Tensor conv_transpose(const Tensor& x, const Tensor& w, const ConvTransposeOptions& options = {});

}  // namespace eglantine
