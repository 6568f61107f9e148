#include "codegen/value_text.hpp"

#include <algorithm>
#include <span>

#include "codegen/custom_text.hpp"
#include "codegen/glsl_type.hpp"
#include "eglantine/own.hpp"
#include "graph/op/op_info.hpp"

namespace eglantine::codegen {
namespace {

bool is_source(Op op) { return op == Op::load || op == Op::parameter || op == Op::iota || op == Op::accumulator; }

std::string cast_function(DType to) { return "eg_to_" + std::string(value_type(to, 1)); }

const CustomCall& call_of(const Expr& expr, const Instruction& step) {
  return expr.calls[static_cast<size_t>(step.args[0])];
}

/// The first call with the same text: one function serves them all.
size_t function_of(const Expr& expr, const CustomCall& call) {
  const auto same = [&](const CustomCall& other) {
    return other.args.size() == call.args.size() && other.op->glsl == call.op->glsl;
  };
  return static_cast<size_t>(std::find_if(expr.calls.begin(), expr.calls.end(), same) - expr.calls.begin());
}

std::string custom_name(const std::string& name, size_t function) {
  return name + "_custom" + std::to_string(function);
}

/// The functions of the custom operations that an expression calls.
std::string custom_functions(const std::string& name, const Expr& expr) {
  std::string text;
  for (size_t i = 0; i < expr.calls.size(); ++i) {
    if (function_of(expr, expr.calls[i]) != i) continue;
    std::vector<std::string> parameters;
    for (size_t j = 0; j < expr.calls[i].args.size(); ++j) parameters.push_back("x" + std::to_string(j));
    text += custom_function(custom_name(name, i), parameters, expr.calls[i].op->glsl);
  }
  return text;
}

/// Writes one function, an instruction at a time.
class ValueWriter {
 public:
  ValueWriter(const std::string& name, const Expr& expr, const std::vector<int>& parameter_slots,
              const ElementText& element, const std::vector<int32_t>& fours)
      : name_(name), expr_(expr), parameter_slots_(parameter_slots), element_(element), fours_(fours) {}

  bool is_four(int32_t instruction) const {
    return std::find(fours_.begin(), fours_.end(), instruction) != fours_.end();
  }

  std::string name_of(int32_t instruction) const {
    const Instruction& step = expr_.code[static_cast<size_t>(instruction)];
    const std::string number = std::to_string(step.args[0]);
    switch (step.op) {
      case Op::load:
        return "x" + number;
      case Op::iota:
        return "i" + number;
      case Op::accumulator:
        return accumulator_name(step);
      case Op::parameter:
        return from_bits(step.dtype, uniform_at(parameter_slots_[static_cast<size_t>(step.args[0])]));
      default:
        return is_four(instruction) ? four_name(instruction) : "t" + std::to_string(instruction);
    }
  }

  std::string statement(int32_t instruction) const {
    const Instruction& step = expr_.code[static_cast<size_t>(instruction)];
    if (step.op == Op::store) return "  x" + std::to_string(step.args[1]) + " = " + name_of(step.args[0]) + ";\n";
    return std::string(step.dtype == DType::f32 ? "  EG_PRECISE " : "  ") + std::string(value_type(step.dtype, 1)) +
           " " + name_of(instruction) + " = " + value_of(step) + ";\n";
  }

 private:
  std::string value_of(const Instruction& step) const {
    if (step.op == Op::custom) return call(call_of(expr_, step));
    if (step.op == Op::load_at)
      return element_(step.args[0], "a" + std::to_string(step.args[0]) + " + uint(" + name_of(step.args[1]) + ")");
    if (step.op == Op::checked_index) return call("eg_checked_index", step.args);
    std::vector<std::string> arguments;
    for (int32_t argument : step.args) {
      if (argument >= 0) arguments.push_back(name_of(argument));
    }
    return step.op == Op::cast ? std::string(cast_function(step.dtype)) + "(" + arguments[0] + ")"
                               : substituted(info_of(step.op).glsl, arguments);
  }

  std::string call(const CustomCall& custom) const {
    return call(custom_name(name_, function_of(expr_, custom)), custom.args);
  }

  std::string call(std::string text, std::span<const int32_t> arguments) const {
    for (size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "(" : ", ") + name_of(arguments[i]);
    return text + ")";
  }

  const std::string& name_;
  const Expr& expr_;
  const std::vector<int>& parameter_slots_;
  const ElementText& element_;
  const std::vector<int32_t>& fours_;
};

bool is_computed(const Expr& expr, size_t operand) {
  const PiecewiseRead* read = expr.piecewise_of(operand);
  return read != nullptr && read->computed.has_value();
}

std::string arguments_of(const Expr& expr, const std::vector<int32_t>& fours) {
  std::string text;
  const auto add = [&text](const std::string& type, const std::string& name) {
    text += (text.empty() ? "" : ", ") + type + " " + name;
  };
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    if (is_computed(expr, i)) {
      add("uint", "a" + std::to_string(i));
      continue;
    }
    add((expr.stores(i) ? "out " : "") + std::string(value_type(expr.operands[i].dtype(), 1)), "x" + std::to_string(i));
  }
  for (size_t i = 0; i < expr.iotas.size(); ++i) add("uint", "i" + std::to_string(i));
  for (const int32_t four : fours)
    add(std::string(value_type(expr.code[static_cast<size_t>(four)].dtype, 1)), four_name(four));
  for (const Instruction& step : accumulators_of(expr))
    add(std::string(value_type(step.dtype, 1)), accumulator_name(step));
  return text;
}

std::string results_of(const Expr& expr, const std::vector<int32_t>& results) {
  std::string text;
  for (size_t i = 0; i < results.size(); ++i)
    text += ", out " + std::string(value_type(expr.dtype(), 1)) + " r" + std::to_string(i);
  return text;
}

}  // namespace

std::string substituted(std::string_view operation, const std::vector<std::string>& arguments) {
  std::string text;
  for (size_t i = 0; i < operation.size();) {
    size_t end = i;
    while (end < operation.size() && in_name(operation[end])) ++end;
    const std::string_view word = operation.substr(i, std::max<size_t>(end - i, 1));
    const size_t argument = word.size() == 1 ? std::string_view("xyz").find(word[0]) : std::string_view::npos;
    text += argument < arguments.size() ? arguments[argument] : std::string(word);
    i += word.size();
  }
  return text;
}

bool reads_accumulator(const Expr& expr) {
  return std::any_of(expr.code.begin(), expr.code.end(),
                     [](const Instruction& step) { return step.op == Op::accumulator; });
}

DType accumulator_dtype(const Expr& expr) {
  const std::vector<Instruction> found = accumulators_of(expr);
  return found.empty() ? expr.dtype() : found.front().dtype;
}

std::vector<Instruction> accumulators_of(const Expr& expr) {
  std::vector<Instruction> found;
  for (const Instruction& step : expr.code) {
    const auto same = [&](const Instruction& other) { return other.args[0] == step.args[0]; };
    if (step.op == Op::accumulator && std::none_of(found.begin(), found.end(), same)) found.push_back(step);
  }
  return found;
}

std::string accumulator_name(const Instruction& step) {
  return step.args[0] < 0 ? "accumulator" : "v" + std::to_string(step.args[0]);
}

std::string four_name(int32_t instruction) { return "d" + std::to_string(instruction); }

std::string value_function(const std::string& name, const Expr& expr, const std::vector<int>& parameter_slots,
                           const ElementText& element, const std::vector<int32_t>& results,
                           const std::vector<int32_t>& fours) {
  const ValueWriter writer(name, expr, parameter_slots, element, fours);
  std::string text = custom_functions(name, expr);
  text += (results.empty() ? std::string(value_type(expr.dtype(), 1)) : "void") + " " + name + "(" +
          arguments_of(expr, fours) + results_of(expr, results) + ") {\n";
  const int32_t count = static_cast<int32_t>(expr.code.size());
  for (int32_t i = 0; i < count; ++i) {
    if (!is_source(expr.code[static_cast<size_t>(i)].op) && !writer.is_four(i)) text += writer.statement(i);
  }
  if (results.empty()) return text + "  return " + writer.name_of(count - 1) + ";\n}\n";
  for (size_t i = 0; i < results.size(); ++i)
    text += "  r" + std::to_string(i) + " = " + writer.name_of(results[i]) + ";\n";
  return text + "}\n";
}

}  // namespace eglantine::codegen
