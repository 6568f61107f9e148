#pragma once

#include <string>

#include "graph/kernel.hpp"

/// How a reduction, scan or tiling combines values, as GLSL. custom: the user's operation of Reduction::custom, else
/// null.
namespace eglantine::codegen {

/// The dtype in which reductions and tilings combine values. Booleans are 0 and 1 in u32, where any is `a | b` and all
/// is `a & b`: zink has no arrays of bool.
DType combined_as(DType dtype);

/// The identity of the combination, as a GLSL constant.
std::string identity_text(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

/// `T eg_identity()` and `T eg_combine(T a, T b)`, T the dtype's type. Not for argmax and argmin.
std::string combine_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

}  // namespace eglantine::codegen
