#include "lower/contraction/few_columns/factor.hpp"

#include <map>

#include "graph/kernel/expression.hpp"

namespace eglantine::lower {
namespace {

/// Reads one expression's instructions by what they depend on.
class Reader {
 public:
  explicit Reader(const Expr& expr) : expr_(expr) {}

  const Instruction& at(int32_t i) const { return expr_.code[static_cast<size_t>(i)]; }

  /// Whether an instruction has one value in a run: all it loads is one element there.
  bool is_constant(int32_t i) const {
    const Instruction& step = at(i);
    if (step.op == Op::load) return operand(step).layout.strides.back() == 0;
    return step.op == Op::parameter || (reads_no_other(step) && all_arguments(step, &Reader::is_constant));
  }

  bool is_sum_of_bytes(int32_t i) const {
    const Instruction& step = at(i);
    if (step.op == Op::load) return bytes_of(operand(step).storage) == 1;
    const bool sums = step.op == Op::cast || step.op == Op::add || step.op == Op::sub;
    return sums && all_arguments(step, &Reader::is_sum_of_bytes);
  }

  /// The expression of one instruction.
  Expr part(int32_t i) const {
    ExpressionBuilder builder(expr_.domain);
    std::map<int32_t, int32_t> copies;
    copy(i, builder, copies);
    return builder.take();
  }

 private:
  const Strided& operand(const Instruction& load) const { return expr_.operands[static_cast<size_t>(load.args[0])]; }

  static bool reads_no_other(const Instruction& step) {
    return step.op != Op::iota && step.op != Op::load_at && step.op != Op::custom && step.op != Op::accumulator;
  }

  bool all_arguments(const Instruction& step, bool (Reader::*holds)(int32_t) const) const {
    bool all = true;
    for_each_argument(expr_, step, [&](int32_t argument) { all = all && (this->*holds)(argument); });
    return all;
  }

  int32_t copy(int32_t i, ExpressionBuilder& builder, std::map<int32_t, int32_t>& copies) const {
    if (const auto found = copies.find(i); found != copies.end()) return found->second;
    Instruction step = at(i);
    if (step.op == Op::load) return copies[i] = builder.load(operand(step));
    if (step.op == Op::parameter)
      return copies[i] = builder.parameter(step.dtype, expr_.parameters[static_cast<size_t>(step.args[0])]);
    for (int32_t& argument : step.args)
      if (argument >= 0) argument = copy(argument, builder, copies);
    return copies[i] = builder.operation(step.op, step.dtype, step.args);
  }

  const Expr& expr_;
};

}  // namespace

std::optional<FactoredMatrix> factored(const Expr& matrix, int64_t run) {
  const Instruction& product = matrix.code.back();
  if (run == 1 || product.op != Op::mul || product.dtype != DType::f32) return std::nullopt;
  const Reader reader(matrix);
  for (const int side : {0, 1}) {
    const int32_t weights = product.args[static_cast<size_t>(side)],
                  factor = product.args[static_cast<size_t>(1 - side)];
    if (reader.is_sum_of_bytes(weights) && !reader.is_constant(weights) && reader.is_constant(factor))
      return FactoredMatrix{reader.part(weights), reader.part(factor)};
  }
  return std::nullopt;
}

}  // namespace eglantine::lower
