#include "graph/kernel/expression.hpp"

#include <algorithm>

#include "graph/op/narrow_operations.hpp"
#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"

namespace eglantine {

int ExpressionBuilder::add(Op op, DType dtype, const std::array<int32_t, 3>& args) {
  for (size_t i = 0; i < expr_.code.size(); ++i) {
    const Instruction& same = expr_.code[i];
    if (same.op == op && same.dtype == dtype && same.args == args) return static_cast<int>(i);
  }
  expr_.code.push_back({op, dtype, args});
  return static_cast<int>(expr_.code.size()) - 1;
}

int ExpressionBuilder::load(Strided operand) { return load(std::move(operand), PiecewiseRead{}); }

int ExpressionBuilder::load(Strided operand, PiecewiseRead read) {
  const DType dtype = operand.dtype();
  return add(Op::load, dtype, {static_cast<int32_t>(place_of(std::move(operand), std::move(read))), -1, -1});
}

int ExpressionBuilder::load_at(Strided operand, const layout::Reach& computed, int index) {
  const DType dtype = operand.dtype();
  const layout::Reach start = layout::reach(operand.layout);
  PiecewiseRead read;
  read.within = {start.first + computed.first, start.last + computed.last};
  read.computed = computed;
  return add(Op::load_at, dtype, {static_cast<int32_t>(place_of(std::move(operand), std::move(read))), index, -1});
}

size_t ExpressionBuilder::place_of(Strided operand, PiecewiseRead read) {
  const bool plain = read.jumps.empty() && read.bounds.empty() && !read.computed;
  size_t place = 0;
  const auto same = [&](const Strided& known) {
    const PiecewiseRead* other = expr_.piecewise_of(place);
    const bool as_is = other == nullptr ? plain
                                        : other->jumps == read.jumps && other->bounds == read.bounds &&
                                              other->otherwise == read.otherwise && other->computed == read.computed;
    return as_is && known.buffer == operand.buffer && known.storage == operand.storage &&
           layout::same(known.layout, operand.layout);
  };
  while (place < expr_.operands.size() && !same(expr_.operands[place])) ++place;
  if (place == expr_.operands.size()) {
    expr_.operands.push_back(std::move(operand));
    read.operand = place;
    if (!plain) expr_.piecewise.push_back(std::move(read));
  }
  return place;
}

int ExpressionBuilder::parameter(DType dtype, Parameter parameter) {
  // Equal values stay apart: whether two scalars happen to be equal must not make another program.
  expr_.parameters.push_back(parameter);
  return add(Op::parameter, dtype, {static_cast<int32_t>(expr_.parameters.size()) - 1, -1, -1});
}

int ExpressionBuilder::iota(const Layout& at) { return coordinate_value(coordinate(at)); }

int32_t ExpressionBuilder::coordinate(const Layout& at) {
  const auto known =
      std::find_if(expr_.iotas.begin(), expr_.iotas.end(), [&](const Layout& iota) { return layout::same(iota, at); });
  const auto number = static_cast<int32_t>(known - expr_.iotas.begin());
  if (known == expr_.iotas.end()) expr_.iotas.push_back(at);
  return number;
}

int ExpressionBuilder::coordinate_value(int32_t coordinate) { return add(Op::iota, DType::u32, {coordinate, -1, -1}); }

int ExpressionBuilder::accumulator(DType dtype) { return add(Op::accumulator, dtype, {-1, -1, -1}); }

int ExpressionBuilder::operation(Op op, DType dtype, const std::array<int32_t, 3>& args) {
  return add(op, dtype, args);
}

int ExpressionBuilder::elementwise(Op op, DType from, DType to, const std::array<int32_t, 3>& args) {
  if (op == Op::cast) return cast(from, to, args[0]);
  if (op == Op::copy && is_narrow(to)) return args[0];
  const int value = add(is_narrow(to) ? near_form(op, to) : op, computed_type(to), args);
  return is_narrow(to) && !stays_narrow(op, to) ? add(narrowing_of(to), computed_type(to), {value, -1, -1}) : value;
}

int ExpressionBuilder::cast(DType from, DType to, int value) {
  const DType computed = computed_type(to);
  if (computed_type(from) != computed) value = add(Op::cast, computed, {value, -1, -1});
  const bool is_exact = from == DType::boolean || (is_float(to) && (from == DType::i8 || from == DType::u8));
  if (!is_narrow(to) || is_exact) return value;
  const Op saturating = to == DType::i8 ? Op::saturate_i8 : Op::saturate_u8;
  return add(is_float(from) && is_integer(to) ? saturating : narrowing_of(to), computed, {value, -1, -1});
}

bool takes_many_steps(const Expr& expr, const Instruction& step) {
  if (step.op == Op::custom) return true;
  if (step.op >= Op::cast) return false;
  int32_t argument = 0;
  for_each_argument(expr, step, [&](int32_t x) { argument = x; });
  return has_many_steps(step.op, expr.code[static_cast<size_t>(argument)].dtype);
}

void drop_last_rounding(Expr& expr, StorageType stored) {
  if (!is_narrow(stored) || stored == StorageType::boolean_byte) return;
  const auto last = static_cast<int32_t>(expr.code.size()) - 1;
  if (expr.code.back().op == narrowing_of(dtype_of(stored)) && expr.code.back().args[0] == last - 1)
    expr.code.pop_back();
}

int ExpressionBuilder::fold(Reduction reduction, DType dtype, int value) {
  return add(Op::fold, dtype, {value, static_cast<int32_t>(reduction), -1});
}

int ExpressionBuilder::custom(const ElementwiseOpPtr& op, std::vector<int32_t> args) {
  for (size_t i = 0; i < expr_.calls.size(); ++i)
    if (expr_.calls[i].op == op && expr_.calls[i].args == args)
      return add(Op::custom, DType::f32, {static_cast<int32_t>(i), -1, -1});
  expr_.calls.push_back({op, std::move(args)});
  return add(Op::custom, DType::f32, {static_cast<int32_t>(expr_.calls.size()) - 1, -1, -1});
}

void ExpressionBuilder::end_with(int value) {
  if (value + 1 == static_cast<int>(expr_.code.size())) return;
  expr_.code.push_back({Op::copy, expr_.code[static_cast<size_t>(value)].dtype, {value, -1, -1}});
}

void ExpressionBuilder::store(int value, const Strided& out) {
  const size_t operand = expr_.operands.size();
  expr_.operands.push_back(out);
  expr_.stored.push_back(operand);
  expr_.code.push_back({Op::store, out.dtype(), {value, static_cast<int32_t>(operand), -1}});
}

}  // namespace eglantine
