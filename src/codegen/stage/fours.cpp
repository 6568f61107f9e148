#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/stage/stage.hpp"
#include "codegen/value_text.hpp"
#include "graph/kernel/expression.hpp"
#include "graph/op/op_info.hpp"

/// The instructions of a LoadStage that are computed for a vector's four elements at once (EG_FOUR): random numbers,
/// which are made in blocks of four. The scalar function takes their values as arguments.
namespace eglantine::codegen {
namespace {

const Instruction& argument_of(const Expr& expr, const Instruction& step, size_t number) {
  return expr.code[static_cast<size_t>(step.args[number])];
}

/// Of a row with EG_FOUR: the iota that numbers its values, where the rest is one for all; else -1.
int32_t iota_of(const Expr& expr, const Instruction& step) {
  if (step.op >= Op::cast || glsl_of_four(step.op).empty()) return -1;
  const bool same = argument_of(expr, step, 1).op == Op::parameter && argument_of(expr, step, 2).op == Op::parameter;
  const Instruction& number = argument_of(expr, step, 0);
  return same && number.op == Op::iota ? number.args[0] : -1;
}

/// Whether a piecewise read depends on an iota.
bool moves_with(const PiecewiseRead& read, int32_t iota) {
  const auto is = [&](const auto& part) { return part.iota == iota; };
  return std::any_of(read.bounds.begin(), read.bounds.end(), is) ||
         std::any_of(read.jumps.begin(), read.jumps.end(), is);
}

}  // namespace

/// Then it may go on beyond the last element, where the others repeat that one's number.
bool LoadStage::numbers_fours(int32_t iota) const {
  for (const PiecewiseRead& read : expr_.piecewise)
    if (moves_with(read, iota)) return false;
  bool any = false, others = false;
  for (const Instruction& step : expr_.code)
    for_each_argument(expr_, step, [&](int32_t argument) {
      const Instruction& value = expr_.code[static_cast<size_t>(argument)];
      if (value.op != Op::iota || value.args[0] != iota) return;
      (iota_of(expr_, step) == iota ? any : others) = true;
    });
  return any && !others;
}

std::vector<int32_t> LoadStage::fours() const {
  std::vector<int32_t> found;
  for (size_t i = 0; i < expr_.code.size(); ++i) {
    const int32_t iota = iota_of(expr_, expr_.code[i]);
    if (iota >= 0 && is_contiguous(addresses_.access(operands() + iota))) found.push_back(static_cast<int32_t>(i));
  }
  return found;
}

bool LoadStage::joins_fours_beside(const Layout& x) const {
  return std::ranges::any_of(fours(), [&](int32_t four) {
    const int32_t iota = iota_of(expr_, expr_.code[static_cast<size_t>(four)]);
    return addresses_.access(operands() + iota) == VectorAccess::anywhere &&
           differ_by_fours(expr_.iotas[static_cast<size_t>(iota)], x);
  });
}

/// From a multiple of four on; of numbers that begin between two, joined from both.
std::string LoadStage::compute_fours() const {
  std::string text;
  for (const int32_t four : fours()) {
    const Instruction& step = expr_.code[static_cast<size_t>(four)];
    const int item = operands() + iota_of(expr_, step);
    const std::string first = addresses_.element(item, 0), type(value_type(step.dtype, vector_width)),
                      name = four_name(four), multiple = name + "_first";
    const bool joins = addresses_.access(item) == VectorAccess::anywhere;
    const auto block = [&](const std::string& number) {
      std::vector<std::string> arguments{number};
      for (const size_t key : {size_t{1}, size_t{2}})
        arguments.push_back(uniform_at(parameter_slots_[static_cast<size_t>(argument_of(expr_, step, key).args[0])]));
      return substituted(glsl_of_four(step.op), arguments);
    };
    if (joins) text += "  uint " + multiple + " = (" + first + ") & 0xfffffffcu;\n";
    text += "  " + type + " " + name + " = " + block(joins ? multiple : first) + ";\n";
    if (joins)
      text += "  if (" + multiple + " != " + first + ") " + name + " = eg_joined(" + name + ", " +
              block("(" + multiple + " + 4u)") + ", " + first + ");\n";
  }
  return text;
}

}  // namespace eglantine::codegen
