#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "eglantine/verbs/interpolation.hpp"

/// Which elements of an axis interpolation takes, and with which weights. Pure.
namespace eglantine::verbs {

/// One axis of `length` elements, of which `outputs` are to be made.
struct Resampling {
  int axis = 0;  ///< of the tensor
  int64_t length = 0, outputs = 0;
  std::optional<double> scale = {};  ///< outputs per element that coordinates use; else outputs / length

  /// Elements of the axis per output.
  double step(bool align_corners) const;
};

/// Element o is the sum over k of weights[k * outputs + o] times the axis's element indices[k * outputs + o]. Weights
/// of nearest, 1 each, are left out.
struct Taps1d {
  int axis = 0;
  int64_t length = 0, outputs = 0, taps = 1;
  std::optional<double> scale = {};  ///< as the Resampling's
  /// Of two: the second element is the first one's neighbour, or at the axis's end that one itself; the weights' sum is
  /// 1.
  bool are_neighbours = false;
  std::vector<int32_t> indices = {};
  std::vector<float> weights = {};
};

Taps1d taps_of(const Resampling& axis, const InterpolateOptions& options);
/// The same, without indices and weights where these follow from its other members and the options: all but antialias.
Taps1d outline_of(const Resampling& axis, const InterpolateOptions& options);
/// taps_of() an outline's axis.
Taps1d with_tables(const Taps1d& outline, const InterpolateOptions& options);

}  // namespace eglantine::verbs
