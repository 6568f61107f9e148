#pragma once

#include "eglantine/verbs/losses.hpp"
#include "verbs/build.hpp"

/// Helpers of the losses.
namespace eglantine::verbs {

void require_reduction(std::string_view function, LossReduction reduction);  ///< Error outside of the enumeration

}  // namespace eglantine::verbs
