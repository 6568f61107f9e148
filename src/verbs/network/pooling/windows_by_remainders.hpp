#pragma once

#include "verbs/network/pooling/pool.hpp"

namespace eglantine::verbs {

/// Cotangents of windows that overlap, each at the element of its number (window_numbers.hpp). Elements whose places
/// have the same remainders by the strides are in windows as far from them, whose numbers for them are constants: a
/// piece of the result, of which one kernel computes all side by side. Whether strides divide the axes, pieces and
/// windows are few, and each element is in some window, but for those past the last.
bool has_few_remainders(const Pool& pool);
Tensor windows_by_remainders(const Pool& pool, const Tensor& numbers, const Tensor& g);

}  // namespace eglantine::verbs
