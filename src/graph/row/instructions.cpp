#include "graph/row/instructions.hpp"

#include <algorithm>

#include "graph/kernel/expression.hpp"

namespace eglantine {

namespace {

bool reads_of_rows(const Expr& value, size_t operand, int kept_rank) {
  const auto still = [&](int32_t iota) { return is_of_rows(value.iotas[static_cast<size_t>(iota)], kept_rank); };
  if (const PiecewiseRead* read = value.piecewise_of(operand)) {
    const auto all = [&](const auto& parts) {
      return std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return still(part.iota); });
    };
    if (!all(read->jumps) || !all(read->bounds)) return false;
  }
  return is_of_rows(value.operands[operand].layout, kept_rank);
}

std::vector<int> levels_of_code(const Expr& value) {
  std::vector<int> levels;
  for (const Instruction& step : value.code) {
    int level = 0;
    for_each_argument(value, step, [&](int32_t x) { level = std::max(level, levels[static_cast<size_t>(x)]); });
    levels.push_back(level + (step.op == Op::fold ? 1 : 0));
  }
  return levels;
}

std::vector<bool> constants_of_code(const Expr& value) {
  std::vector<bool> constants;
  for (const Instruction& step : value.code) {
    bool constant = step.op == Op::parameter || step.op <= Op::cast;
    if (step.op <= Op::cast)
      for_each_argument(value, step, [&](int32_t x) { constant = constant && constants[static_cast<size_t>(x)]; });
    constants.push_back(constant);
  }
  return constants;
}

}  // namespace

std::vector<bool> of_rows(const Expr& value, int kept_rank) {
  std::vector<bool> result;
  for (const Instruction& step : value.code) {
    bool row = true;
    if (step.op == Op::load || step.op == Op::load_at)
      row = reads_of_rows(value, static_cast<size_t>(step.args[0]), kept_rank);
    if (step.op == Op::iota) row = is_of_rows(value.iotas[static_cast<size_t>(step.args[0])], kept_rank);
    if (step.op != Op::fold)
      for_each_argument(value, step, [&](int32_t x) { row = row && result[static_cast<size_t>(x)]; });
    result.push_back(row);
  }
  return result;
}

RowInstructions::RowInstructions(const RowKernel& row_kernel)
    : kernel(row_kernel),
      value(row_kernel.value),
      rows(of_rows(value, kernel.kept_rank)),
      levels(levels_of_code(value)),
      constants(constants_of_code(value)) {}

int RowInstructions::most_level() const { return *std::max_element(levels.begin(), levels.end()); }

bool RowInstructions::is_free(int32_t i) const {
  if (step(i).op == Op::parameter || step(i).op == Op::iota) return true;
  if (step(i).op != Op::load || value.piecewise_of(static_cast<size_t>(step(i).args[0]))) return false;
  const Layout& x = value.operands[static_cast<size_t>(step(i).args[0])].layout;
  for (int axis = 0; axis < kernel.kept_rank; ++axis)
    if (x.shape[axis] > 1 && x.strides[static_cast<size_t>(axis)] != 0) return false;
  return true;
}

bool RowInstructions::is_costly(int32_t i) const {
  const Op op = step(i).op;
  return op == Op::load || op == Op::load_at || takes_many_steps(value, step(i));
}

}  // namespace eglantine
