#pragma once

#include <string_view>
#include <vector>

#include "eglantine/verbs/pooling.hpp"
#include "verbs/network/spatial.hpp"

/// What the pools have in common.
namespace eglantine::verbs {

/// The first spatial axis of x, (n, channels, spatial...), or without n where `numbers` has one for each spatial axis.
/// Throws ShapeError where that leaves no 1 to 3 of them.
int first_spatial(std::string_view function, std::string_view name, const Tensor& x, const PerAxis& numbers);

/// A tensor's windows: x's axes, the spatial ones now counting windows, and behind them one axis of each window's
/// elements. Read in place; padding is `fill`. Throws ShapeError for more elements than can be addressed.
Tensor pool_windows(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes, float fill);

/// The axes of the windows' elements in pool_windows(...) of a tensor of this rank.
Axes window_axes(int rank, const std::vector<SpatialAxis>& axes);

/// The smallest number of a dtype: of floats -infinity.
float lowest_of(DType dtype);

}  // namespace eglantine::verbs
