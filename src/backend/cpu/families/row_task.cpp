#include <bit>

#include "backend/cpu/families/row.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t line_elements = int64_t{1} << 18;

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

RowKernel steps_first(RowKernel kernel) {
  rotate(kernel.prologue, kernel.kept_rank);
  rotate(kernel.epilogue, kernel.kept_rank);
  rotate(kernel.out.layout, kernel.kept_rank);
  return kernel;
}

int64_t rows_of(const RowKernel& kernel) {
  int64_t rows = 1;
  for (int axis = 0; axis < kernel.kept_rank; ++axis) rows *= kernel.prologue.domain[axis];
  return rows;
}

bool side_by_side(const RowKernel& kernel) {
  const int64_t rows = rows_of(kernel), length = kernel.prologue.domain.elements() / rows;
  return kernel.strided || goes_side_by_side(rows, length);
}

}  // namespace

RowTask::RowTask(const RowKernel& kernel) : RowTask(kernel, side_by_side(kernel)) {}

RowTask::RowTask(const RowKernel& kernel, bool strided_rows)
    : op(kernel.op),
      parameter(std::bit_cast<float>(kernel.parameter)),
      rows(rows_of(kernel)),
      length(kernel.prologue.domain.elements() / rows),
      strided(strided_rows),
      width(strided ? std::min(std::clamp(line_elements / length, fewest_neighbours, block_elements), rows) : 1),
      prologue(strided ? steps_first(kernel).prologue : kernel.prologue),
      epilogue(reduces(op) ? epilogue_of_rows(kernel)
               : strided   ? steps_first(kernel).epilogue
                           : kernel.epilogue),
      out(reduces(op) ? output_of_rows(kernel)
          : strided   ? steps_first(kernel).out
                      : kernel.out) {
  if (kernel.second.buffer) mean.emplace(second_of_rows(kernel));
}

}  // namespace eglantine::cpu
