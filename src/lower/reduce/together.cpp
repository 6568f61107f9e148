#include "lower/reduce/together.hpp"

#include <algorithm>
#include <optional>

#include "codegen/window_reads.hpp"
#include "graph/expression.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

// An invocation has four sums of each row in registers, beside what it loads.
constexpr int64_t most_rows_together = 16;
// Longer texts take drivers long to compile.
constexpr size_t most_code_together = 64;
// With so many loads in flight each, an eighth of the resident invocations keeps the device's memory busy.
constexpr int64_t invocations_for_one = 8;
// Of what a row loads by itself.
constexpr double worthwhile = 0.7;

/// Copies a prologue for one row after the other.
class RowCopier {
 public:
  RowCopier(const Expr& prologue, int first_axis, int kept_rank)
      : prologue_(prologue),
        first_axis_(first_axis),
        kept_rank_(kept_rank),
        builder_(without_axes(prologue.domain)),
        parameters_(prologue.parameters.size(), -1) {}

  /// The instruction that is the value of a row.
  int32_t copy(int64_t row) {
    std::vector<int32_t> copies;
    for (const Instruction& step : prologue_.code) copies.push_back(copy(step, row, copies));
    return copies.back();
  }

  Expr take() { return builder_.take(); }

 private:
  template <class List>
  List without_axes(const List& of_axes) const {
    List list(of_axes.begin(), of_axes.begin() + first_axis_);
    for (auto i = of_axes.begin() + kept_rank_; i != of_axes.end(); ++i) list.push_back(*i);
    return list;
  }

  /// What a row's coordinates leave of a layout.
  Layout at(const Layout& x, int64_t row) const {
    Layout rest{without_axes(x.shape), without_axes(x.strides), x.offset};
    for (int axis = kept_rank_ - 1; axis >= first_axis_; --axis) {
      rest.offset += row % x.shape[axis] * x.strides[static_cast<size_t>(axis)];
      row /= x.shape[axis];
    }
    return rest;
  }

  int32_t coordinate(int32_t iota, int64_t row) {
    return builder_.coordinate(at(prologue_.iotas[static_cast<size_t>(iota)], row));
  }

  int32_t load(size_t number, int64_t row) {
    Strided operand = prologue_.operands[number];
    operand.layout = at(operand.layout, row);
    const PiecewiseRead* piecewise = prologue_.piecewise_of(number);
    if (piecewise == nullptr) return builder_.load(std::move(operand));
    PiecewiseRead read = *piecewise;
    for (PiecewiseRead::Jump& jump : read.jumps) jump.iota = coordinate(jump.iota, row);
    for (PiecewiseRead::Bound& bound : read.bounds) bound.iota = coordinate(bound.iota, row);
    return builder_.load(std::move(operand), std::move(read));
  }

  int32_t parameter(const Instruction& step) {
    const auto number = static_cast<size_t>(step.args[0]);
    if (parameters_[number] < 0) parameters_[number] = builder_.parameter(step.dtype, prologue_.parameters[number]);
    return parameters_[number];
  }

  int32_t copy(Instruction step, int64_t row, const std::vector<int32_t>& copies) {
    if (step.op == Op::load) return load(static_cast<size_t>(step.args[0]), row);
    if (step.op == Op::parameter) return parameter(step);
    if (step.op == Op::iota) return builder_.coordinate_value(coordinate(step.args[0], row));
    for (int32_t& argument : step.args)
      if (argument >= 0) argument = copies[static_cast<size_t>(argument)];
    return builder_.operation(step.op, step.dtype, step.args);
  }

  const Expr& prologue_;
  int first_axis_, kept_rank_;
  ExpressionBuilder builder_;
  std::vector<int32_t> parameters_;  ///< by number: its instruction, or -1
};

/// Sums of floats, of what has no effect and no text of its own.
bool can_be_together(const ReduceLevel& level) {
  const Expr& prologue = level.prologue;
  const bool computes_addresses = std::any_of(prologue.piecewise.begin(), prologue.piecewise.end(),
                                              [](const PiecewiseRead& read) { return read.computed.has_value(); });
  return level.tree == layout::ReduceTree::row && level.reduction == Reduction::sum && prologue.dtype() == DType::f32 &&
         prologue.stored.empty() && prologue.calls.empty() && !computes_addresses;
}

/// Elements that a vector loads.
int64_t elements_loaded(const Expr& expr, int kept_rank) {
  const int64_t singly = codegen::vector_width * std::ssize(expr.operands);
  if (!codegen::rows_of_whole_vectors(expr.domain, {kept_rank, expr.domain.rank() - kept_rank})) return singly;
  const codegen::WindowLoads windows = codegen::window_loads(expr, codegen::vector_width);
  return singly - windows.singly + windows.once;
}

/// Whether the rows of the last `axes` kept axes are as many as an invocation takes, and what is left fills the device.
bool can_be_taken(const Target& target, const ReduceLevel& level, int axes) {
  const int64_t rows = codegen::count_of(level.prologue.domain, {level.kept_rank - axes, axes});
  if (rows < 2 || rows > most_rows_together) return false;
  const int64_t groups = level.kept / rows * ceil_divide(level.length, layout::row_block);
  return groups * layout::row_lanes * invocations_for_one >= target.resident_invocations;
}

/// Elements that a vector of one row loads where the rows of the last `axes` kept axes are taken at once; nothing where
/// their text is too long.
std::optional<double> loaded_by_row(const ReduceLevel& level, int axes) {
  const int first_axis = level.kept_rank - axes;
  const RowsTogether together = rows_together(level.prologue, first_axis, level.kept_rank);
  if (together.prologue.code.size() > most_code_together) return std::nullopt;
  return static_cast<double>(elements_loaded(together.prologue, first_axis)) /
         static_cast<double>(together.results.size());
}

}  // namespace

RowsTogether rows_together(const Expr& prologue, int first_axis, int kept_rank) {
  RowCopier copier(prologue, first_axis, kept_rank);
  const int64_t rows = codegen::count_of(prologue.domain, {first_axis, kept_rank - first_axis});
  RowsTogether together;
  for (int64_t row = 0; row < rows; ++row) together.results.push_back(copier.copy(row));
  together.prologue = copier.take();
  return together;
}

int axes_together(const Target& target, const ReduceLevel& level) {
  const bool several_trips = level.length > layout::row_lanes * vector_width;
  if (target.software || target.max_invocations < layout::row_lanes || !several_trips || !can_be_together(level))
    return 0;
  double fewest = worthwhile * static_cast<double>(elements_loaded(level.prologue, level.kept_rank));
  int best = 0;
  for (int axes = 1; axes <= level.kept_rank; ++axes) {
    const std::optional<double> loaded = can_be_taken(target, level, axes) ? loaded_by_row(level, axes) : std::nullopt;
    if (!loaded || *loaded >= fewest) continue;
    fewest = *loaded;
    best = axes;
  }
  return best;
}

}  // namespace eglantine::lower
