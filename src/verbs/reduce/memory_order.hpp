#pragma once

#include <optional>

#include "verbs/build.hpp"

namespace eglantine::verbs {

/// x's axes in the order of memory, if that is another: x is a view, through which neighbours along the last axis lie
/// in sectors apart, and neighbours along another one beside each other. Of many elements: who reads what is computed
/// in that order may have to transpose it.
std::optional<Axes> order_in_memory(const Tensor& x);

}  // namespace eglantine::verbs
