#pragma once

#include "eglantine/verbs/losses.hpp"
#include "verbs/build.hpp"

/// Helpers of the losses.
namespace eglantine::verbs {

void require_reduction(std::string_view function, LossReduction reduction);  ///< Error outside of the enumeration

/// The losses as a checked reduction has them; a mean is their sum divided by `count`.
Tensor reduced(const Tensor& losses, LossReduction reduction, const Operand& count);

}  // namespace eglantine::verbs
