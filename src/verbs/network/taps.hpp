#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "graph/op/op.hpp"
#include "verbs/network/spatial.hpp"

/// Windows of few elements, element by element: what is made of them is one map, without an order of its own in which
/// a reduction would add, and several times as fast (docs/performance-notes.md, "Windows").
namespace eglantine::verbs {

/// Whether the windows of these axes, the last ones, have few elements in so many channels, 32 where nothing else is
/// said: with their loads, what a kernel holds. False where there are no windows.
bool has_few_taps(const std::vector<SpatialAxis>& axes, int64_t channels = 1, int64_t few = 32);

/// A tensor with its padding, and where every window's first element lies in it: x's axes, the last ones counting
/// windows. Elements of the same place in each window, of (places...) in all, lie so many steps further.
struct WindowPlaces {
  Tensor padded;
  Layout first;
  Shape places;
  IntList steps;

  Layout at(int64_t number) const;  ///< of the place of this row-major number
};
/// Padding is `fill`. Throws ShapeError, in the name of `function`, for more elements than can be addressed.
WindowPlaces window_places(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes,
                           float fill);

/// For each place in a window, in row-major order, that element of every window, as window_places() has them.
std::vector<Tensor> taps_of(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes,
                            float fill);

/// Whether a sum of products with elements of x can be one node: a Stencil.
bool can_be_in_stencil(const Tensor& x);
/// The same of windows of x, as window_places() has them.
bool can_be_stencil(const WindowPlaces& windows);
/// The windows' elements combined by op, one after the other; undefined of less than two, and where !can_be_stencil().
Tensor combined_places(const WindowPlaces& windows, Op op);

/// Of x (..., taps...), whose last axes have `taps` elements, the one with this row-major number for all others: as a
/// view in the shape `alike`, their shape but for axes of length 1, broadcast to `shape`.
Tensor tap_of(const Tensor& x, int64_t taps, int64_t number, const Shape& alike, const Shape& shape);
/// That view's layout, but for its offset: `number`.
Layout layout_of_taps(int64_t taps, const Shape& alike, const Shape& shape);

}  // namespace eglantine::verbs
