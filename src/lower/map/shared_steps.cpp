#include "lower/map/shared_steps.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "lower/map/line_vectors.hpp"

namespace eglantine::lower {
namespace {

using codegen::vector_width;

bool moves_along(const Layout& layout, int axis) { return layout.strides[static_cast<size_t>(axis)] != 0; }

/// Whether an operand's element, or whether it exists, differs along the axis.
bool reads_differ(const Expr& value, size_t operand, int axis) {
  const PiecewiseRead* read = value.piecewise_of(operand);
  const auto moves = [&](const auto& part) { return moves_along(value.iotas[static_cast<size_t>(part.iota)], axis); };
  if (moves_along(value.operands[operand].layout, axis)) return true;
  return read != nullptr && (std::ranges::any_of(read->jumps, moves) || std::ranges::any_of(read->bounds, moves));
}

/// A step's own source: an operand or a coordinate.
bool source_differs(const Expr& value, const Instruction& step, int axis) {
  const auto number = static_cast<size_t>(step.args[0]);
  if (step.op == Op::iota) return moves_along(value.iotas[number], axis);
  return (step.op == Op::load || step.op == Op::load_at) && reads_differ(value, number, axis);
}

/// How many steps give another value for each place of the axis. A long one counts for as many as it takes, and so does
/// a product that is added, though hardware takes one step for it: interpolation, which is made of them, is slower so.
struct Steps {
  int64_t shared = 0, each = 0;
};

Steps steps_along(const Expr& value, int axis) {
  constexpr int64_t of_a_long_one = 16;
  std::vector<bool> differs;
  Steps steps;
  for (const Instruction& step : value.code) {
    bool moves = source_differs(value, step, axis);
    for_each_argument(value, step, [&](int32_t from) { moves = moves || differs[static_cast<size_t>(from)]; });
    differs.push_back(moves);
    (moves ? steps.each : steps.shared) += takes_many_steps(value, step) ? of_a_long_one : 1;
  }
  return steps;
}

/// Steps that a result takes in vectors of four places of the axis, of which the last begins earlier.
double steps_of_a_result(const Expr& value, int axis) {
  const Steps steps = steps_along(value, axis);
  const int64_t lines = value.domain[axis], vectors = ceil_divide(lines, vector_width);
  return static_cast<double>(vectors * (steps.shared + vector_width * steps.each)) / static_cast<double>(lines);
}

double steps_of_one(const Expr& value, int axis) {
  const Steps steps = steps_along(value, axis);
  return static_cast<double>(steps.shared + steps.each);
}

bool computes_places(const Expr& value) {
  return std::ranges::any_of(value.code, [](const Instruction& step) { return step.op == Op::load_at; });
}

}  // namespace

std::optional<int> axis_of_shared_steps(const MapKernel& kernel) {
  const Expr& value = kernel.value;
  std::optional<int> best;
  if (!computes_places(value) || writes_again(kernel)) return best;
  double least = 0.7 * steps_of_one(value, 0);
  for (int axis = 0; axis + 1 < value.domain.rank(); ++axis) {
    if (value.domain[axis] < vector_width || steps_of_a_result(value, axis) > least) continue;
    best = axis;
    least = steps_of_a_result(value, axis);
  }
  return best;
}

}  // namespace eglantine::lower
