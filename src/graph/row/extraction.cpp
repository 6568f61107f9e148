#include "graph/row/extraction.hpp"

#include "graph/kernel/expression.hpp"

namespace eglantine {

Expr RowExtraction::of(int32_t root, bool row) {
  begin(root, row);
  const std::vector<bool> needed = needed_by(root);
  for (int32_t i = 0; i <= root; ++i)
    if (needed[static_cast<size_t>(i)] && step(i).op != Op::store) copy(i, i == root);
  return std::move(result_);
}

Expr RowExtraction::of_value(int32_t root, bool row) {
  begin(root, row);
  copy(root, false);
  return std::move(result_);
}

void RowExtraction::begin(int32_t root, bool row) {
  row_ = row;
  result_ = {};
  result_.domain = from().domain;
  shorten(result_.domain);
  iotas_.assign(from().iotas.size(), -1);
  places_.assign(static_cast<size_t>(root) + 1, -1);
}

std::vector<bool> RowExtraction::needed_by(int32_t root) const {
  std::vector<bool> needed(static_cast<size_t>(root) + 1);
  needed.back() = true;
  for (int32_t i = root; i >= 0; --i)
    if (needed[static_cast<size_t>(i)] && (i == root || !has_number(i)))
      for_each_argument(from(), step(i), [&](int32_t x) { needed[static_cast<size_t>(x)] = true; });
  return needed;
}

void RowExtraction::shorten(Shape& shape) const {
  for (int axis = row_ ? code_.kernel.kept_rank : shape.rank(); axis < shape.rank(); ++axis) shape[axis] = 1;
}

int32_t RowExtraction::iota(int32_t number) {
  int32_t& place = iotas_[static_cast<size_t>(number)];
  if (place < 0) {
    place = static_cast<int32_t>(result_.iotas.size());
    result_.iotas.push_back(from().iotas[static_cast<size_t>(number)]);
    shorten(result_.iotas.back().shape);
  }
  return place;
}

int32_t RowExtraction::operand(int32_t number) {
  const auto place = static_cast<int32_t>(result_.operands.size());
  result_.operands.push_back(from().operands[static_cast<size_t>(number)]);
  shorten(result_.operands.back().layout.shape);
  if (const PiecewiseRead* known = from().piecewise_of(static_cast<size_t>(number))) {
    PiecewiseRead read = *known;
    read.operand = static_cast<size_t>(place);
    for (PiecewiseRead::Jump& jump : read.jumps) jump.iota = iota(jump.iota);
    for (PiecewiseRead::Bound& bound : read.bounds) bound.iota = iota(bound.iota);
    result_.piecewise.push_back(std::move(read));
  }
  return place;
}

int32_t RowExtraction::parameter(int32_t number) {
  result_.parameters.push_back(from().parameters[static_cast<size_t>(number)]);
  return static_cast<int32_t>(result_.parameters.size()) - 1;
}

int32_t RowExtraction::call(int32_t number) {
  CustomCall made = from().calls[static_cast<size_t>(number)];
  for (int32_t& argument : made.args) argument = place_of(argument);
  result_.calls.push_back(std::move(made));
  return static_cast<int32_t>(result_.calls.size()) - 1;
}

Instruction RowExtraction::copy_of(const Instruction& old) {
  Instruction made = old;
  if (old.op == Op::load) {
    made.args[0] = operand(old.args[0]);
  } else if (old.op == Op::load_at) {
    made.args = {operand(old.args[0]), place_of(old.args[1]), -1};
  } else if (old.op == Op::parameter) {
    made.args[0] = parameter(old.args[0]);
  } else if (old.op == Op::iota) {
    made.args[0] = iota(old.args[0]);
  } else if (old.op == Op::custom) {
    made.args[0] = call(old.args[0]);
  } else {
    for (int32_t& argument : made.args)
      if (argument >= 0) argument = place_of(argument);
  }
  return made;
}

void RowExtraction::copy(int32_t i, bool is_root) {
  const bool is_cut = has_number(i) && !is_root;
  const Instruction made =
      is_cut
          ? Instruction{Op::accumulator, step(i).dtype, {numbers_[static_cast<size_t>(i)], code_.of_row(i) ? 1 : 0, -1}}
          : copy_of(step(i));
  places_[static_cast<size_t>(i)] = static_cast<int32_t>(result_.code.size());
  result_.code.push_back(made);
}

}  // namespace eglantine
