#include "backend/cpu/families/row.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t line_elements = int64_t{1} << 18;
// Short rows share what a step costs beside its elements, as long as a line stays in the first-level cache.
constexpr int64_t elements_together = 4096;

/// Moves a row's axes in front of the others.
void rotate(Layout& x, int kept) {
  std::rotate(x.shape.begin(), x.shape.begin() + kept, x.shape.end());
  std::rotate(x.strides.begin(), x.strides.begin() + kept, x.strides.end());
}

void rotate(Expr& expr, int kept) {
  for (Strided& operand : expr.operands) rotate(operand.layout, kept);
  for (Layout& iota : expr.iotas) rotate(iota, kept);
  std::rotate(expr.domain.begin(), expr.domain.begin() + kept, expr.domain.end());
}

int64_t rows_of(const RowKernel& kernel) {
  int64_t rows = 1;
  for (int axis = 0; axis < kernel.kept_rank; ++axis) rows *= kernel.value.domain[axis];
  return rows;
}

bool side_by_side(const RowKernel& kernel) {
  const int64_t rows = rows_of(kernel), length = kernel.value.domain.elements() / rows;
  return kernel.strided || goes_side_by_side(rows, length);
}

RowTask::Step prepared(RowStep step, int kept_rank, bool strided) {
  if (strided && !step.of_row) {
    rotate(step.expr, kept_rank);
    if (step.what == RowStep::What::store) rotate(step.out.layout, kept_rank);
  }
  const Instruction& first = step.expr.code.front();
  const bool alone = step.expr.code.size() == 1 && first.op == Op::accumulator;
  RowTask::Step made{step.what, step.of_row, step.value, EvaluatorProgram(step.expr), alone ? first.args[0] : -1,
                     {},        {}};
  if (step.what == RowStep::What::fold) made.combine = reduction_blocks(step.reduction, DType::f32);
  if (step.what == RowStep::What::store) made.out.emplace(step.out);
  return made;
}

}  // namespace

RowTask::RowTask(const RowKernel& kernel) : RowTask(kernel, side_by_side(kernel)) {}

RowTask::RowTask(const RowKernel& kernel, bool strided_rows)
    : rows(rows_of(kernel)),
      length(kernel.value.domain.elements() / rows),
      strided(strided_rows),
      width(std::min(strided ? std::clamp(line_elements / length, fewest_neighbours, block_elements)
                             : std::max<int64_t>(1, elements_together / length),
                     rows)) {
  RowChain chain = chain_of(kernel, RowReads::once);
  values = std::move(chain.values);
  reach_elements.resize(values.size());
  for (const RowStep& step : chain.steps)
    for (const Instruction& each : step.expr.code)
      if (each.op == Op::accumulator && !step.of_row && values[static_cast<size_t>(each.args[0])].of_row)
        reach_elements[static_cast<size_t>(each.args[0])] = true;
  for (RowStep& step : chain.steps) steps.push_back(prepared(std::move(step), kernel.kept_rank, strided));
  for (Step& step : steps) step.program.report_to(outside);
}

}  // namespace eglantine::cpu
