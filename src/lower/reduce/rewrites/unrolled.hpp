#pragma once

#include <optional>

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Short reductions on software devices as a map: out[o] = epilogue(combine over r of prologue(o, r)), each element's
/// terms loaded one after the other and combined in registers, in the order of the kernel's tree. Nothing where another
/// form is better: for terms that are many or long (the program repeats them), few elements in all (it is compiled for
/// this length alone), and what no element-wise operation combines.
std::optional<MapKernel> unrolled(const Target& target, const ReduceKernel& kernel);

}  // namespace eglantine::lower
