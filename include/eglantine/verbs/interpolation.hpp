#pragma once

#include <vector>

#include "eglantine/spatial.hpp"
#include "eglantine/tensor.hpp"
#include "eglantine/verbs/movement.hpp"

/// Tensors read between their elements, as PyTorch's interpolate and grid_sample do. Integers and booleans keep their
/// dtype where the mode is nearest, else they give f32; f16 and bf16 keep theirs, and are rounded once. Where the verb
/// does not say otherwise, one kernel, into which what follows fuses, if one storage binding covers a picture of one
/// channel. An infinite or NaN element makes NaN of what is interpolated from it, also with a weight of 0.
namespace eglantine {

/// nearest: one element. linear: two along each axis, with weights by distance. cubic: four along each axis, by the
/// cubic convolution of Keys, "Cubic convolution interpolation for digital image processing" (1981), with the
/// coefficient -0.75; it may overshoot.
enum class Interpolation { nearest, linear, cubic };

/// Where element o of an axis of s elements is looked for along an axis of n, and what it is made of.
struct InterpolateOptions {
  Interpolation mode = Interpolation::nearest;
  /// Of linear and cubic: whether the first elements lie on each other, and the last: o * (n - 1) / (s - 1). Else
  /// elements are as wide as n / s: (o + 0.5) * n / s - 0.5. nearest: floor(o * n / s).
  bool align_corners = false;
  /// Of linear and cubic: where s < n, weights reach over all elements that o covers, n / s times as far, and add up to
  /// 1; elements past the ends have none. Cubic's coefficient is -0.5.
  bool antialias = false;
  /// Output elements per input element along each spatial axis, which then stand for s / n in the formulas, though
  /// `sizes` alone says how many there are; not used under align_corners. Empty: s / n.
  std::vector<double> scale = {};
};

/// x, (n, channels, spatial...) or, where `sizes` has braces, (channels, spatial...), of 1 to 3 spatial axes, with
/// these lengths along them. Places past an axis's ends are its end elements. Places and weights are computed in
/// double; weights are rounded to f32. An axis whose length is a multiple of its size is, of nearest, a view. One
/// kernel; where more than 16 elements are combined for each output and a derivative is taken by x, several. Software
/// devices take one kernel for each axis where that reads fewer elements, or where they would combine more than 16.
/// Throws ShapeError for another rank, a size below 1, an axis without elements or of 2^31 or more, and more elements
/// than can be addressed; Error for align_corners or antialias with nearest, and a scale that is not positive and
/// finite or not one for each spatial axis.
EGLANTINE_API Tensor interpolate(const Tensor& x, const PerAxis& sizes, const InterpolateOptions& options = {});

struct GridOptions {
  Interpolation mode = Interpolation::linear;
  /// What lies past the ends of an axis: zeros (constant), its end elements (edge), the axis mirrored (reflect: at the
  /// outer edges of its end elements, under align_corners at their centres), the axis again and again (wrap).
  PadMode padding = PadMode::constant;
  /// Whether the coordinates -1 and 1 are the centres of an axis's end elements, or their outer edges.
  bool align_corners = false;
};

/// x (n, channels, h, w) at the places of grid (n, oh, ow, 2): y[i, c, p, q] is x[i, c] at column grid[i, p, q, 0] and
/// row grid[i, p, q, 1]; x (n, channels, d, h, w) likewise, with grid (n, od, oh, ow, 3) and the depth as its third.
/// The coordinate g along an axis of s elements is the place ((g + 1) * s - 1) / 2, under align_corners
/// (g + 1) * (s - 1) / 2. nearest rounds it half to even. Places are computed in f32: within 4 eps (|g| + 1) s of the
/// exact one. A NaN coordinate gives NaN, of nearest any element. cubic takes two spatial axes. One kernel; linear of
/// three spatial axes several where one binds fewer than five buffers. Throws ShapeError for other ranks, a grid whose
/// first axis is not x's or whose last one does not number x's spatial axes, and axes without elements or of 2^31 or
/// more; Error for cubic with three spatial axes.
EGLANTINE_API Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridOptions& options = {});

}  // namespace eglantine
