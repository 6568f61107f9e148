#pragma once

#include "lower/reduce/schedule/schedule.hpp"

/// Neighbouring results that read or compute much in common, at once: the gradient of a depthwise convolution by the
/// places of its kernel, which all read one cotangent, windows that overlap, and the components of a force.
namespace eglantine::lower {

/// How many of a level's last kept axes number results that are best taken at once, 0 where there are none: on hardware
/// 2 to 16 rows of a row tree that load the least, and clearly less than by themselves, where what is left fills the
/// device; otherwise results that make the same numbers (results_at_once()), where no invocations idle for it.
int axes_together(const Target& target, const ReduceLevel& level);

}  // namespace eglantine::lower
