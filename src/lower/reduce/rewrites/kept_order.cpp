#include "lower/reduce/rewrites/kept_order.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/value_text.hpp"
#include "graph/kernel/expression.hpp"
#include "graph/kernel/expression_copier.hpp"
#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/schedule/any_order.hpp"

namespace eglantine::lower {
namespace {

int64_t stride_of(const Layout& x, int axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); }

bool repeats(const Expr& expr, int axis) {
  const auto stays = [axis](const Layout& x) { return stride_of(x, axis) == 0; };
  return expr.domain[axis] > 1 &&
         std::ranges::all_of(expr.operands, [&](const Strided& x) { return stays(x.layout); }) &&
         std::ranges::all_of(expr.iotas, stays);
}

/// Whether elements that are there several times are combined once: where that changes nothing, or of integers, whose
/// sum is then as often that of one of each.
bool combines_once(const ReduceKernel& kernel) {
  const bool adds = kernel.reduction == Reduction::sum && is_exact(kernel.reduction, kernel.prologue.dtype());
  return is_idempotent(kernel.reduction) || (adds && ExpressionCopier::copyable(kernel.epilogue));
}

/// The epilogue of an accumulator that is added up so many times, modulo 2^32.
Expr of_multiple(const Expr& epilogue, DType dtype, int64_t times) {
  ExpressionBuilder builder(epilogue.domain);
  const Parameter count{static_cast<uint32_t>(times), Parameter::of_lowering};
  const int all = builder.operation(Op::mul, dtype, {builder.accumulator(dtype), builder.parameter(dtype, count), -1});
  builder.end_with(ExpressionCopier(epilogue, builder).copy([](const Layout& x) { return x; }, all));
  return builder.take();
}

/// The operand that reaches furthest in memory; null without operands.
const Strided* largest_operand(const Expr& expr) {
  const auto bytes = [](const Strided& x) { return layout::reach(x.layout).count() * bytes_of(x.storage); };
  const auto largest = std::ranges::max_element(expr.operands, {}, bytes);
  return largest == expr.operands.end() ? nullptr : &*largest;
}

/// The kept axes that some operand goes along: in the order of x's memory where neighbours in memory are kept ones that
/// are no neighbours in the results, else as they are.
Axes order_of(const ReduceKernel& kernel, const Layout& x) {
  Axes order;
  for (int axis = 0; axis < kernel.kept_rank; ++axis)
    if (!repeats(kernel.prologue, axis)) order.push_back(axis);
  const auto stride = [&](int64_t axis) { return stride_of(x, static_cast<int>(axis)); };
  const bool apart = !order.empty() && stride(order[order.rank() - 1]) != 1;
  if (apart && std::ranges::any_of(order, [&](int64_t axis) { return stride(axis) == 1; }))
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
  return order;
}

/// The layouts' axes in that order; others are left out.
void permute_axes(Expr& expr, const Axes& order) {
  const auto permuted = [&](const Layout& x) {
    Layout y{{}, {}, x.offset};
    for (const int64_t axis : order) {
      y.shape.push_back(x.shape[static_cast<int>(axis)]);
      y.strides.push_back(x.strides[static_cast<size_t>(axis)]);
    }
    return y;
  };
  for (Strided& operand : expr.operands) operand.layout = permuted(operand.layout);
  for (Layout& iota : expr.iotas) iota = permuted(iota);
  Shape domain;
  for (const int64_t axis : order) domain.push_back(expr.domain[static_cast<int>(axis)]);
  expr.domain = domain;
}

/// The epilogue over the kept axes; false where it reads operands by other ones.
bool reshape_epilogue(Expr& epilogue, const Shape& kept) {
  const bool reads = !epilogue.operands.empty() || !epilogue.iotas.empty() || !epilogue.piecewise.empty();
  if (reads && !(epilogue.domain == kept)) return false;
  epilogue.domain = kept;
  return true;
}

/// The results' layout over all kept axes, as they lie contiguous in `order`: others repeat.
Layout places_of(const Shape& kept, const Axes& order) {
  Layout places{kept, std::vector<int64_t>(static_cast<size_t>(kept.rank()), 0), 0};
  int64_t stride = 1;
  for (int i = order.rank() - 1; i >= 0; --i) {
    const auto axis = static_cast<int>(order[i]);
    places.strides[static_cast<size_t>(axis)] = stride;
    stride *= kept[axis];
  }
  return places;
}

Axes with_reduced(Axes order, const ReduceKernel& kernel) {
  for (int axis = kernel.kept_rank; axis < kernel.prologue.domain.rank(); ++axis) order.push_back(axis);
  return order;
}

}  // namespace

ReduceKernel without_repeats(ReduceKernel kernel) {
  Expr& expr = kernel.prologue;
  if (!combines_once(kernel) || expr.operands.empty() || !expr.piecewise.empty() || !expr.stored.empty()) return kernel;
  int64_t times = 1;
  for (int axis = kernel.kept_rank; axis < expr.domain.rank(); ++axis) {
    if (!repeats(expr, axis)) continue;
    times *= expr.domain[axis];
    const auto take_first = [axis](Layout& x) { x.shape[axis] = 1; };
    for (Strided& x : expr.operands) take_first(x.layout);
    for (Layout& iota : expr.iotas) take_first(iota);
    expr.domain[axis] = 1;
  }
  if (times == 1) return kernel;
  if (!is_idempotent(kernel.reduction)) kernel.epilogue = of_multiple(kernel.epilogue, expr.dtype(), times);
  collapse(kernel);
  return kernel;
}

ReduceKernel unflipped(ReduceKernel kernel) {
  Expr& expr = kernel.prologue;
  if (expr.operands.empty() || !is_exact(kernel.reduction, expr.dtype()) || is_arg(kernel.reduction) ||
      kernel.reduction == Reduction::custom || !expr.iotas.empty() || !expr.piecewise.empty())
    return kernel;
  bool flips = false;
  for (int axis = kernel.kept_rank; axis < expr.domain.rank(); ++axis) {
    const auto at = static_cast<size_t>(axis);
    const auto is_any = [&](auto which) {
      return std::ranges::any_of(expr.operands, [&](const Strided& x) { return which(x.layout.strides[at]); });
    };
    if (is_any([](int64_t stride) { return stride > 0; }) || !is_any([](int64_t stride) { return stride < 0; }))
      continue;
    flips = true;
    for (Strided& x : expr.operands) {
      x.layout.offset += x.layout.strides[at] * (expr.domain[axis] - 1);
      x.layout.strides[at] = -x.layout.strides[at];
    }
  }
  if (flips) collapse(kernel);  // else axes may be apart for a reason (rows_in_fours.cpp)
  return kernel;
}

bool run_in_memory_order(Lowering& lowering, const ReduceKernel& kernel) {
  constexpr int64_t fewest = 1 << 18;  // fewer are reduced in the time of another dispatch
  const Strided* main = largest_operand(kernel.prologue);
  if (lowering.target().software || main == nullptr || kernel.prologue.domain.elements() < fewest) return false;
  const Axes order = order_of(kernel, main->layout);
  Shape kept;
  for (int axis = 0; axis < kernel.kept_rank; ++axis) kept.push_back(kernel.prologue.domain[axis]);
  if (std::is_sorted(order.begin(), order.end()) && order.rank() == kept.rank()) return false;
  Expr epilogue = kernel.epilogue;
  if (!reshape_epilogue(epilogue, kept)) return false;
  const Layout places = places_of(kept, order);
  ReduceKernel ordered = kernel;
  permute_axes(ordered.prologue, with_reduced(order, kernel));
  ordered.kept_rank = order.rank();
  const Shape results{layout::reach(places).count()};
  ordered.out = lowering.temporary(codegen::accumulator_dtype(epilogue), layout::contiguous(results));
  ordered.epilogue = accumulator_over(results, ordered.out.dtype());
  collapse(ordered);
  lower(lowering, ordered);
  MapKernel map{reading_accumulator(epilogue, {ordered.out.buffer, ordered.out.storage, places}), kernel.out};
  map.out.layout = layout::contiguous(kept, kernel.out.layout.offset);
  collapse(map);
  lower(lowering, map);
  return true;
}

}  // namespace eglantine::lower
