#pragma once

#include "verbs/build.hpp"

/// Operations of rows (glsl/row/row.comp).
namespace eglantine::verbs {

/// Rows of up to so many elements stay on the chip.
constexpr int64_t longest_alone = 16384;

/// Whether a group can process a row of x along checked axes, and there are rows enough.
bool takes_row_kernel(const Tensor& x, const Axes& axes);

/// x along checked axes. Operations that reduce drop these, or keep them with length 1.
Tensor row(RowOp op, const Tensor& x, const Axes& axes, bool keepdims = false, float parameter = 0);

/// The variance of x, of f32; the divisor is the number of elements less `correction`. `function`: the verb that errors
/// name.
Tensor variance(std::string_view function, const Tensor& x, const Axes& axes, bool keepdims, double correction);

void require_correction(std::string_view function, double correction);  ///< Error unless finite

// In one kernel where a group can process a row, else made of verbs; along checked axes, of f32.

Tensor standardized(const Tensor& x, const Axes& axes, float eps);  ///< (x - mean) / sqrt(var + eps)
Tensor over_rms(const Tensor& x, const Axes& axes, float eps);      ///< x / sqrt(mean(x^2) + eps)

}  // namespace eglantine::verbs
