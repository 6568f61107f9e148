#pragma once

#include "verbs/build.hpp"

/// Verbs made of what they reduce rows to; planning makes one kernel of them where a row fits on the chip
/// (docs/rows.md).
namespace eglantine::verbs {

/// The variance of x, of f32, or its square root; the divisor is the number of elements less `correction`. `function`:
/// the verb that errors name.
Tensor variance(std::string_view function, const Tensor& x, const Axes& axes, bool keepdims, double correction,
                bool root = false);

void require_correction(std::string_view function, double correction);  ///< Error unless finite

// Along checked axes, of f32.

Tensor standardized(const Tensor& x, const Axes& axes, float eps);  ///< (x - mean) / sqrt(var + eps)
Tensor over_rms(const Tensor& x, const Axes& axes, float eps);      ///< x / sqrt(mean(x^2) + eps)

/// logsumexp(x) - of_row, axes of length 1 kept, which neither large elements nor a large difference from them rounds:
/// log(sum(exp(x - max(x)))) + (max(x) - of_row). of_row is a constant of each row.
Tensor logsumexp_less(const Tensor& x, const Tensor& of_row, const Axes& axes);

}  // namespace eglantine::verbs
