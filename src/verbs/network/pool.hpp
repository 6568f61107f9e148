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

/// A tensor and the windows of its spatial axes, which are its last.
struct Pool {
  std::string_view function;
  Tensor x;
  std::vector<SpatialAxis> axes;

  /// x's axes, the spatial ones now counting windows, and behind them one axis of each window's elements. Read in
  /// place; padding is `fill`. Throws ShapeError for more elements than can be addressed.
  Tensor windows(float fill) const;
  /// The axes of the windows' elements in windows().
  Axes reduced() const;
  Shape spatial() const;  ///< x's lengths
  /// Throws ShapeError where a window is padding alone.
  void require_elements() const;
};

/// Throws as pooling.hpp says of PoolOptions.
Pool checked_pool(std::string_view function, const Tensor& x, const PerAxis& window, const PoolOptions& options);

}  // namespace eglantine::verbs
