#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/uniforms.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::codegen {

/// An operation's text of the table with x, y, z replaced.
std::string substituted(std::string_view operation, const std::vector<std::string>& arguments);

bool reads_accumulator(const Expr& expr);
DType accumulator_dtype(const Expr& expr);
std::vector<Instruction> accumulators_of(const Expr& expr);  ///< one instruction for each that it reads
std::string accumulator_name(const Instruction& step);       ///< "accumulator", or "v3" of a row chain's value

/// The scalar function `name(x0, x1, ..., i0, ..., accumulator)` of an expression: of operands (out parameters where
/// stored), iotas (uint), and the accumulator where read. Float temporaries are EG_PRECISE: each + - * rounds once,
/// nothing contracts. parameter_slots[i]: parameter i's uniform. Custom functions stand before it. An operand of
/// Op::load_at comes as the address a0, ... (uint) instead; element(operand, address): what lies there.
/// Op::checked_index calls eg_checked_index(index, place, length), which stands before it too. results:
/// instructions whose values the function gives in `out` parameters, which come last, instead of the expression's.
/// fours: instructions whose values come as arguments, behind the iotas.
using ElementText = std::function<std::string(int operand, const std::string& address)>;
std::string value_function(const std::string& name, const Expr& expr, const std::vector<int>& parameter_slots,
                           const ElementText& element = {}, const std::vector<int32_t>& results = {},
                           const std::vector<int32_t>& fours = {});
std::string four_name(int32_t instruction);  ///< of such an argument

}  // namespace eglantine::codegen
