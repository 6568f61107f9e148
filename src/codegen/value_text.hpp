#pragma once

#include <string>
#include <vector>

#include "codegen/uniforms.hpp"
#include "graph/kernel.hpp"

namespace eglantine::codegen {

/// The text of an operation of the table with its x, y, z replaced.
std::string substituted(std::string_view operation, const std::vector<std::string>& arguments);

/// Whether the code reads the value that the kernel's reduction computed.
bool reads_accumulator(const Expr& expr);
DType accumulator_dtype(const Expr& expr);

/// The scalar function `name(x0, x1, ..., i0, ..., accumulator)` of an expression: one argument for each operand (its
/// element, or for one that is stored, an out parameter), each index (its uint) and the accumulator when it is read.
/// Float temporaries are EG_PRECISE, so that each + - * rounds once and nothing contracts. parameter_slots[i]: the
/// uniform of parameter i. Users' operations stand before it as functions of their own.
std::string value_function(const std::string& name, const Expr& expr, const std::vector<int>& parameter_slots);

}  // namespace eglantine::codegen
