#include "graph/kernel/expression_copier.hpp"

#include <algorithm>
#include <utility>

namespace eglantine {
namespace {

template <class List>
List without_axes(const List& of_axes, int first, int count) {
  List list(of_axes.begin(), of_axes.begin() + first);
  for (auto i = of_axes.begin() + first + count; i != of_axes.end(); ++i) list.push_back(*i);
  return list;
}

}  // namespace

Layout at_coordinates(const Layout& x, int first, int count, int64_t place) {
  Layout rest{without_axes(x.shape, first, count), without_axes(x.strides, first, count), x.offset};
  for (int axis = first + count - 1; axis >= first; --axis) {
    rest.offset += place % x.shape[axis] * x.strides[static_cast<size_t>(axis)];
    place /= x.shape[axis];
  }
  return rest;
}

bool ExpressionCopier::copyable(const Expr& expr) {
  return std::ranges::none_of(expr.piecewise, [](const PiecewiseRead& read) { return read.computed.has_value(); });
}

int32_t ExpressionCopier::copy(const Change& change, int32_t accumulator) {
  for (size_t i = 0; i < made_.size(); ++i) made_[i] = copy(from_.code[i], change, accumulator);
  return made_.back();
}

int32_t ExpressionCopier::copy_needed(int32_t step) {
  int32_t& known = made_[static_cast<size_t>(step)];
  if (known >= 0) return known;
  const Instruction& needed = from_.code[static_cast<size_t>(step)];
  for_each_argument(from_, needed, [&](int32_t argument) { copy_needed(argument); });
  return known = copy(
             needed, [](const Layout& x) { return x; }, -1);
}

int32_t ExpressionCopier::copy(const Instruction& step, const Change& change, int32_t accumulator) {
  switch (step.op) {
    case Op::load:
      return load(static_cast<size_t>(step.args[0]), change);
    case Op::parameter:
      return parameter(step);
    case Op::iota:
      return to_.coordinate_value(coordinate(step.args[0], change));
    case Op::accumulator:
      return accumulator < 0 ? to_.accumulator(step.dtype) : accumulator;
    case Op::custom:
      return call(step);
    case Op::store:
      return store(step, change);
    case Op::fold:
      return to_.operation(step.op, step.dtype, {made(step.args[0]), step.args[1], step.args[2]});
    default:
      break;
  }
  std::array<int32_t, 3> args = step.args;
  for (int32_t& argument : args)
    if (argument >= 0) argument = made(argument);
  return to_.operation(step.op, step.dtype, args);
}

int32_t ExpressionCopier::load(size_t number, const Change& change) {
  Strided operand = from_.operands[number];
  operand.layout = change(operand.layout);
  const PiecewiseRead* piecewise = from_.piecewise_of(number);
  if (piecewise == nullptr) return to_.load(std::move(operand));
  PiecewiseRead read = *piecewise;
  for (PiecewiseRead::Jump& jump : read.jumps) jump.iota = coordinate(jump.iota, change);
  for (PiecewiseRead::Bound& bound : read.bounds) bound.iota = coordinate(bound.iota, change);
  return to_.load(std::move(operand), std::move(read));
}

int32_t ExpressionCopier::parameter(const Instruction& step) {
  const auto number = static_cast<size_t>(step.args[0]);
  if (parameters_[number] < 0) parameters_[number] = to_.parameter(step.dtype, from_.parameters[number]);
  return parameters_[number];
}

int32_t ExpressionCopier::call(const Instruction& step) {
  const CustomCall& called = from_.calls[static_cast<size_t>(step.args[0])];
  std::vector<int32_t> args;
  for (const int32_t argument : called.args) args.push_back(made(argument));
  return to_.custom(called.op, std::move(args));
}

/// The value of the step is that of what it stores, as the builder gives it.
int32_t ExpressionCopier::store(const Instruction& step, const Change& change) {
  Strided out = from_.operands[static_cast<size_t>(step.args[1])];
  out.layout = change(out.layout);
  to_.store(made(step.args[0]), out);
  return made(step.args[0]);
}

}  // namespace eglantine
