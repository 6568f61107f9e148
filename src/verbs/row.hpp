#pragma once

#include "verbs/build.hpp"

/// Operations of rows in one kernel (glsl/row/row.comp).
namespace eglantine::verbs {

/// Whether a group can process a row of x along checked axes, and there are rows enough.
bool takes_row_kernel(const Tensor& x, const Axes& axes);

/// x along checked axes. Operations that reduce drop these, or keep them with length 1.
Tensor row(RowOp op, const Tensor& x, const Axes& axes, bool keepdims = false);

/// The variance of x; the divisor is the number of elements less `correction`. `function`: the verb that errors name.
Tensor variance(std::string_view function, const Tensor& x, const Axes& axes, bool keepdims, double correction);

void require_correction(std::string_view function, double correction);  ///< Error unless finite

}  // namespace eglantine::verbs
