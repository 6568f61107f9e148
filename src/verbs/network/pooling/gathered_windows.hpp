#pragma once

#include "verbs/network/pooling/pool.hpp"

namespace eglantine::verbs {

/// Cotangents of windows, each at the element of its number (window_numbers.hpp): one map over the windows that cover
/// each element, at most so many.
int64_t windows_of_element(const Pool& pool);
/// Whether these are few, and a kernel can read g at any of them.
bool can_gather_windows(const Pool& pool, const Tensor& g);
Tensor gathered_windows(const Pool& pool, const Tensor& numbers, const Tensor& g);

}  // namespace eglantine::verbs
