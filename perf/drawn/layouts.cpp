#include "perf/drawn/layouts.hpp"

#include <utility>

namespace eglantine::perf::drawn {

namespace {

DType default_dtype(Fill fill) {
  if (fill == Fill::mask) return DType::boolean;
  return fill == Fill::bits ? DType::u32 : fill == Fill::index ? DType::i32 : DType::f32;
}

void transpose(Dice& dice, DrawnOperand& operand) {
  const int last = operand.shape.rank() - 1;
  const auto other = static_cast<int>(dice.below(last));
  operand.axes = {other, last};
  std::swap(operand.stored.shape[other], operand.stored.shape[last]);
}

void cut(Dice& dice, DrawnOperand& operand, int axis) {
  operand.axes = {axis};
  operand.step = dice.one_in(4) ? 2 : 1;
  operand.start = dice.between(0, 3);
  operand.stored.shape[axis] = operand.start + operand.step * operand.shape[axis] + dice.between(0, 4);
}

LayoutKind drawn_kind(Dice& dice, int rank) {
  const LayoutKind kind = dice.of({LayoutKind::contiguous, LayoutKind::contiguous, LayoutKind::contiguous,
                                   LayoutKind::contiguous, LayoutKind::contiguous, LayoutKind::transposed,
                                   LayoutKind::sliced, LayoutKind::flipped, LayoutKind::broadcast, LayoutKind::offset});
  if (rank == 0) return LayoutKind::contiguous;
  const bool wants_two_axes = kind == LayoutKind::transposed || kind == LayoutKind::broadcast;
  return rank == 1 && wants_two_axes ? LayoutKind::offset : kind;
}

}  // namespace

std::string_view name_of(LayoutKind kind) {
  constexpr std::string_view names[] = {"contiguous", "transposed", "sliced", "flipped", "broadcast", "offset"};
  return names[static_cast<size_t>(kind)];
}

DType DrawnOperand::dtype() const { return stored.dtype.value_or(default_dtype(stored.fill)); }

double DrawnOperand::stored_bytes() const {
  const bool is_broadcast = kind == LayoutKind::broadcast;
  const auto elements = static_cast<double>(is_broadcast ? stored.shape.elements() : shape.elements());
  return elements * (dtype() == DType::boolean ? 1 : static_cast<double>(size_of(dtype())));
}

DrawnOperand contiguous(const perf::Operand& operand) { return {operand, operand.shape}; }

DrawnOperand with_layout(Dice& dice, const perf::Operand& operand) {
  DrawnOperand drawn = contiguous(operand);
  drawn.kind = drawn_kind(dice, operand.shape.rank());
  const int axis = operand.shape.rank() == 0 ? 0 : static_cast<int>(dice.below(operand.shape.rank()));
  if (drawn.kind == LayoutKind::transposed) transpose(dice, drawn);
  if (drawn.kind == LayoutKind::sliced) cut(dice, drawn, axis);
  if (drawn.kind == LayoutKind::flipped || drawn.kind == LayoutKind::broadcast) drawn.axes = {axis};
  if (drawn.kind == LayoutKind::broadcast) drawn.stored.shape[axis] = 1;
  if (drawn.kind == LayoutKind::offset) drawn.stored.shape = {operand.shape.elements() + 1}, drawn.start = 1;
  return drawn;
}

Tensor view_of(const Tensor& stored, const DrawnOperand& operand) {
  const auto axis = [&](size_t i) { return static_cast<int>(operand.axes[i]); };
  switch (operand.kind) {
    case LayoutKind::contiguous:
      return stored;
    case LayoutKind::transposed:
      return stored.transpose(axis(0), axis(1));
    case LayoutKind::sliced:
      return stored.slice(axis(0), operand.start, operand.start + operand.step * (operand.shape[axis(0)] - 1) + 1,
                          operand.step);
    case LayoutKind::flipped:
      return stored.flip(axis(0));
    case LayoutKind::broadcast:
      return stored.expand(operand.shape);
    case LayoutKind::offset:
      return stored.slice(0, operand.start).reshape(operand.shape);
  }
  return stored;
}

}  // namespace eglantine::perf::drawn
