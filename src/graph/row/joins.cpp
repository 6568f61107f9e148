#include "graph/row/joins.hpp"

#include <optional>

#include "graph/kernel/expression.hpp"

namespace eglantine {

namespace {

bool is_fold(const Instruction& step, Reduction reduction) {
  return step.op == Op::fold && step.args[1] == static_cast<int32_t>(reduction);
}

/// The fold, of the pass before, of `elements` by `reduction` that t is computed from; or -1.
int32_t base_of(const RowInstructions& code, int32_t t, Reduction reduction, int32_t elements) {
  std::vector<bool> needed(static_cast<size_t>(t) + 1);
  needed.back() = true;
  for (int32_t i = t; i >= 0; --i) {
    if (!needed[static_cast<size_t>(i)]) continue;
    const Instruction& step = code.step(i);
    if (is_fold(step, reduction) && step.args[0] == elements && code.level(i) == code.level(t)) return i;
    for_each_argument(code.value, step, [&](int32_t x) { needed[static_cast<size_t>(x)] = true; });
  }
  return -1;
}

std::optional<RowJoin> join_of_sum(const RowInstructions& code, int32_t fold) {
  if (!is_fold(code.step(fold), Reduction::sum)) return std::nullopt;
  const Instruction& arg = code.step(code.step(fold).args[0]);
  const bool exponential = arg.op == Op::exp || arg.op == Op::exp_near;
  const bool square = arg.op == Op::square || (arg.op == Op::mul && arg.args[0] == arg.args[1]);
  if (!exponential && !square) return std::nullopt;
  const Instruction& difference = code.step(arg.args[0]);
  if (difference.op != Op::sub || !code.of_row(difference.args[1])) return std::nullopt;
  const int32_t elements = difference.args[0], t = difference.args[1];
  const int32_t base = base_of(code, t, exponential ? Reduction::max : Reduction::sum, elements);
  if (base < 0 || code.level(elements) != code.level(base) - 1 || code.level(fold) != code.level(t) + 1)
    return std::nullopt;
  return RowJoin{exponential ? RowStep::Joins::exponentials : RowStep::Joins::squares, fold, base, t, elements};
}

bool stores_elements(const RowInstructions& code, int pass) {
  bool any = false;
  code.for_each_result([&](int32_t i, const Strided&) { any = any || (!code.of_row(i) && code.level(i) == pass); });
  return any;
}

/// The join of the one sum that a pass combines; nothing where it combines others, or stores elements.
std::optional<RowJoin> join_of_pass(const RowInstructions& code, int pass) {
  if (stores_elements(code, pass)) return std::nullopt;
  std::optional<RowJoin> found;
  for (int32_t i = 0; i < code.size(); ++i) {
    if (code.step(i).op != Op::fold || code.level(i) != pass + 1) continue;
    const std::optional<RowJoin> join = join_of_sum(code, i);
    if (!join || found) return std::nullopt;
    found = join;
  }
  return found;
}

}  // namespace

std::vector<RowJoin> find_joins(RowInstructions& code) {
  std::vector<RowJoin> found;
  for (int pass = 1; pass < code.most_level(); ++pass) {
    const std::optional<RowJoin> join = join_of_pass(code, pass);
    const bool chained = join && !found.empty() && found.back().fold == join->base;
    if (!join || chained) continue;
    found.push_back(*join);
    // Also where they are broadcast along the row: its bits do not depend on that.
    code.rows[static_cast<size_t>(join->elements)] = false;
  }
  return found;
}

}  // namespace eglantine
