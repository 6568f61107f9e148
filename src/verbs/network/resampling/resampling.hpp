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

/// Element o is the sum over k of weights[k * outputs + o] times the axis's element firsts[o] + k, or the nearest to it
/// that there is. Weights of nearest, 1 each, are left out.
struct Taps1d {
  /// Elements before an axis's first and beyond its last are these (clamped); none lie before, and those beyond the
  /// axis's last are that one (behind), or those beyond lasts[o] (of_each).
  enum class End { behind, clamped, of_each };

  int axis = 0;
  int64_t length = 0, outputs = 0, taps = 1;
  std::optional<double> scale = {};  ///< as the Resampling's
  bool are_neighbours = false;       ///< two, whose weights' sum is 1
  End end = End::behind;
  std::vector<int32_t> firsts = {}, lasts = {};
  std::vector<float> weights = {};
};

Taps1d taps_of(const Resampling& axis, const InterpolateOptions& options);
/// The same, without elements and weights where these follow from its other members and the options: all but antialias.
Taps1d outline_of(const Resampling& axis, const InterpolateOptions& options);
/// taps_of() an outline's axis.
Taps1d with_tables(const Taps1d& outline, const InterpolateOptions& options);

}  // namespace eglantine::verbs
