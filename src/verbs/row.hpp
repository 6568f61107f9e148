#pragma once

#include "verbs/build.hpp"

/// Row operations that no public function is alone. One kernel each where a group can process a row, else verbs.
namespace eglantine::verbs {

/// (x - mean) / sqrt(var + eps) over checked axes; f32.
Tensor standardized(const Tensor& x, const Axes& axes, float eps);
/// x / sqrt(mean(x^2) + eps) over checked axes; f32.
Tensor over_rms(const Tensor& x, const Axes& axes, float eps);

}  // namespace eglantine::verbs
