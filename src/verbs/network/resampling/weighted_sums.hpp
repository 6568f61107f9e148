#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/network/resampling/resampling.hpp"

/// Sums of weighted elements along axes, as f32, or, where there are no weights, single elements.
namespace eglantine::verbs {

/// Along axes that a kernel can read at any place (load_at.hpp): their elements one by one, in one map.
Tensor unrolled(const Tensor& x, const std::vector<Taps1d>& axes, const InterpolateOptions& options);

/// The same where there are many elements, of axes without aliases: as axes behind x's, reduced with their weights.
Tensor reduced(const Tensor& x, const std::vector<Taps1d>& axes);

/// Along one axis, too large to be read at any place, by gathers.
Tensor gathered(const Tensor& x, const Taps1d& taps, const InterpolateOptions& options);

}  // namespace eglantine::verbs
