#pragma once

#include <string>

#include "graph/kernel.hpp"

/// What a reduction, scan or tiling combines values with, as GLSL. `own` is the user's operation of Reduction::custom,
/// else null.
namespace eglantine::codegen {

/// What reductions and tilings combine values of a dtype as. Truth values are 0 and 1 in u32, in which any is `a | b`
/// and all is `a & b`: zink can make no array of bool.
DType combined_as(DType dtype);

/// The GLSL constant that combines with x to x.
std::string identity_text(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

/// `T eg_identity()` and `T eg_combine(T a, T b)`, T the dtype's type. Not for argmax and argmin.
std::string combine_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

}  // namespace eglantine::codegen
