#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/network/spatial.hpp"

/// Windows of few elements, element by element: what is made of them is one map, without an order of its own in which
/// a reduction would add, and several times as fast (docs/performance.md, "Windows").
namespace eglantine::verbs {

/// Whether the windows of these axes, the last ones, have few elements in so many channels; false where there are no
/// windows.
bool has_few_taps(const std::vector<SpatialAxis>& axes, int64_t channels = 1);

/// A tensor with its padding, and for each place in a window, in row-major order, where that element of every window
/// lies in it: x's axes, the last ones counting windows.
struct WindowPlaces {
  Tensor padded;
  std::vector<Layout> layouts;
};
/// Padding is `fill`. Throws ShapeError, in the name of `function`, for more elements than can be addressed.
WindowPlaces window_places(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes,
                           float fill);

/// For each place in a window, in row-major order, that element of every window, as window_places() has them.
std::vector<Tensor> taps_of(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes,
                            float fill);

/// Of x (..., taps...), whose last axes have `taps` elements, the one with this row-major number for all others: as a
/// view in the shape `alike`, their shape but for axes of length 1, broadcast to `shape`.
Tensor tap_of(const Tensor& x, int64_t taps, int64_t number, const Shape& alike, const Shape& shape);

}  // namespace eglantine::verbs
