#include "lower/row/repeated.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "graph/kernel/expression_copier.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"
#include "lower/expressions.hpp"
#include "lower/repeated_axes.hpp"
#include "lower/row/moves.hpp"

namespace eglantine::lower {
namespace {

// Fewer are computed in the time of another dispatch.
constexpr int64_t fewest_repeated = 1 << 16;
// Elements of rows that repeat less often are written once more, and read, in more time than they are computed.
constexpr int64_t fewest_repeats_of_elements = 16;

int64_t count_along(const Shape& domain, const Axes& axes, int first) {
  int64_t count = 1;
  for (const int64_t axis : axes)
    if (axis >= first) count *= domain[static_cast<int>(axis)];
  return count;
}

bool is_along(const Strided& result, const Axes& axes) {
  return std::ranges::any_of(axes, [&](int64_t axis) { return result.layout.strides[static_cast<size_t>(axis)] != 0; });
}

template <class Visit>
void for_each_result(const RowKernel& kernel, Visit visit) {
  for (const size_t i : kernel.value.stored) visit(kernel.value.operands[i]);
  visit(kernel.out);
}

/// Whether what folds give of a row follows from fewer of its elements, each of which is there several times.
bool folds_repeat(const RowKernel& kernel) {
  const auto follows = [](const Instruction& step) {
    const auto reduction = static_cast<Reduction>(step.args[1]);
    return step.op != Op::fold || reduction == Reduction::sum || reduction == Reduction::max ||
           reduction == Reduction::min;
  };
  return ExpressionCopier::copyable(kernel.value) && std::ranges::all_of(kernel.value.code, follows);
}

/// Also axes of rows, where their elements are worth it.
Axes axes_of(const RowKernel& kernel) {
  Axes axes = repeated_axes(kernel.value, [&](int axis) { return axis < kernel.kept_rank; });
  if (!folds_repeat(kernel)) return axes;
  const Axes of_rows = repeated_axes(kernel.value, [&](int axis) { return axis >= kernel.kept_rank; });
  bool stores_elements = false;
  for_each_result(kernel, [&](const Strided& result) { stores_elements |= is_along(result, of_rows); });
  const int64_t repeats = count_along(kernel.value.domain, of_rows, kernel.kept_rank);
  if (stores_elements && repeats < fewest_repeats_of_elements) return axes;
  for (const int64_t axis : of_rows) axes.push_back(axis);
  return axes;
}

/// The value where each element of a row stands for so many equal ones. A row of one element takes no fold.
Expr standing_for(const Expr& value, int64_t repeats, bool folds) {
  ExpressionBuilder builder(value.domain);
  ExpressionCopier copier(value, builder);
  int last = -1;
  for (size_t i = 0; i < value.code.size(); ++i) {
    const Instruction& step = value.code[i];
    if (step.op != Op::fold) {
      last = copier.copy_needed(static_cast<int32_t>(i));
      continue;
    }
    const auto reduction = static_cast<Reduction>(step.args[1]);
    last = copier.copy_needed(step.args[0]);
    if (folds) last = builder.fold(reduction, step.dtype, last);
    if (reduction == Reduction::sum) {
      const Parameter times{std::bit_cast<uint32_t>(static_cast<float>(repeats)), Parameter::of_lowering};
      last = builder.operation(Op::mul, step.dtype, {last, builder.parameter(step.dtype, times), -1});
    }
    copier.stand_in(static_cast<int32_t>(i), last);
  }
  builder.end_with(last);
  return builder.take();
}

/// Without gaps, in the order in which a result's elements lie: neither its kernel nor the map that moves it then goes
/// across memory.
Layout dense_result(const Layout& out, int kept_rank) {
  if (is_of_rows(out, kept_rank)) return contiguous_result(out, kept_rank);
  const Axes order = layout::by_distance(out);
  return layout::permute(layout::contiguous(layout::permute(out, order).shape), layout::inverse_of(order));
}

/// A result to memory of its own, from where the map moves it to all places along the repeated axes.
MapKernel computed_once(Lowering& lowering, Strided& result, const Strided& to, const Axes& repeated, int kept_rank) {
  result = lowering.temporary(to.dtype(), dense_result(result.layout, kept_rank));
  return moving(repeated_along(result, to.layout.shape, repeated), to, kept_rank);
}

/// Rows of one element are a map.
void run_once(Lowering& lowering, RowKernel once, int64_t repeats) {
  const Shape& domain = once.value.domain;
  const bool folds = std::any_of(domain.begin() + once.kept_rank, domain.end(), [](int64_t n) { return n > 1; });
  if (repeats > 1) once.value = standing_for(once.value, repeats, folds);
  if (folds) {
    collapse(once);
    return lower(lowering, once);
  }
  MapKernel map{once.value, once.out};
  collapse(map);
  lower(lowering, map);
}

}  // namespace

bool run_repeated_once(Lowering& lowering, const RowKernel& kernel) {
  const Shape& domain = kernel.value.domain;
  const Axes repeated = axes_of(kernel);
  if (repeated.empty() || domain.elements() < fewest_repeated) return false;
  RowKernel once = in_box(kernel, first_along(domain, repeated));
  once.strided = once.strided && !repeated.contains(kernel.kept_rank - 1);
  once.across = once.across && once.strided == kernel.strided;
  std::vector<MapKernel> maps;
  const auto place = [&](Strided& result, const Strided& to) {
    if (is_along(to, repeated))
      maps.push_back(computed_once(lowering, result, to, repeated, kernel.kept_rank));
    else
      result.whole = to.whole;
  };
  for (const size_t i : once.value.stored) place(once.value.operands[i], kernel.value.operands[i]);
  place(once.out, kernel.out);
  run_once(lowering, once, count_along(domain, repeated, kernel.kept_rank));
  for (const MapKernel& map : maps) lower(lowering, map);
  return true;
}

}  // namespace eglantine::lower
