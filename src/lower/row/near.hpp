#pragma once

#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// The kernel with `near` exponentials of differences from a row's largest element, exp(x - max(x)), by the device's
/// own exp2 where that is close (Op::exp_near): rounding x / ln 2 costs exp(x) a relative error of |x| 2^-24, which as
/// a part of the row's sum is largest, 2^-25, at x = -1. (Our own exp, within 1 ULP everywhere, takes longer than
/// reading a row.) Only where no such exponential is a result itself. Where all results depend on its sum, in which a
/// NaN appears, the maximum may drop it, near or not.
RowKernel with_quick_maxima(const RowKernel& kernel, bool near);

}  // namespace eglantine::lower
