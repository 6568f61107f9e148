#pragma once

#include <string>

#include "graph/kernel/kernel.hpp"

/// GLSL of combining values in a reduction, scan or tiling. custom: the user's operation of Reduction::custom, or null.
namespace eglantine::codegen {

/// The dtype that values are combined in. Booleans: u32 0 and 1 (any `a | b`, all `a & b`); zink lacks bool arrays.
DType combined_as(DType dtype);

/// The identity of the combination, as a GLSL constant.
std::string identity_text(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

/// `T eg_identity()` and `T eg_combine(T a, T b)`, T the dtype's type. Not for argmax and argmin.
std::string combine_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);

}  // namespace eglantine::codegen
