#pragma once

#include <string_view>
#include <vector>

#include "eglantine/verbs/pooling.hpp"
#include "verbs/network/spatial.hpp"
#include "verbs/network/taps.hpp"

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
  /// The windows' elements combined: by `join` one after the other where they are few, else by `reduce` along the given
  /// axes of `of` windows(). Both of what `of` makes of them. op: what `join` is of f32.
  template <class Of, class Join, class Reduce>
  Tensor combined(float fill, Of of, Op op, Join join, Reduce reduce) const {
    if (x.size() == 0 || !has_few_taps(axes)) return reduce(of(windows(fill)), reduced());
    if (x.dtype() == DType::f32 && of(x).node() == x.node())
      if (const Tensor all = combined_places(window_places(function, x, axes, fill), op); all.defined()) return all;
    const std::vector<Tensor> taps = taps_of(function, x, axes, fill);
    Tensor result = of(taps.front());
    for (size_t i = 1; i < taps.size(); ++i) result = join(result, of(taps[i]));
    return result;
  }
  /// The axes of the windows' elements in windows().
  Axes reduced() const;
  Shape spatial() const;  ///< x's lengths
  /// Throws ShapeError where a window is padding alone.
  void require_elements() const;
};

/// Throws as pooling.hpp says of PoolOptions.
Pool checked_pool(std::string_view function, const Tensor& x, const PerAxis& window, const PoolOptions& options);

}  // namespace eglantine::verbs
