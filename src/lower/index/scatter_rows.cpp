#include "lower/index/scatter_rows.hpp"

#include <algorithm>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

bool varies(const ScatterKernel& kernel, size_t axis) {
  const auto moves = [&](const Layout& x) { return x.strides[axis] != 0; };
  const std::vector<Strided>& operands = kernel.index.operands;
  return moves(kernel.place) || std::any_of(kernel.index.iotas.begin(), kernel.index.iotas.end(), moves) ||
         std::any_of(operands.begin(), operands.end(), [&](const Strided& x) { return moves(x.layout); });
}

Axes joined(const RowAxes& axes) {
  Axes all = axes.rows;
  for (int64_t axis : axes.columns) all.push_back(axis);
  return all;
}

Expr permuted(Expr expr, const Axes& axes) {
  Shape domain;
  for (int64_t axis : axes) domain.push_back(expr.domain[static_cast<int>(axis)]);
  expr.domain = domain;
  for (Strided& operand : expr.operands) operand.layout = layout::permute(operand.layout, axes);
  for (Layout& iota : expr.iotas) iota = layout::permute(iota, axes);
  return expr;
}

/// Whether the expression's elements lie in memory in its order, as words.
bool lies_in_order(const Expr& expr) {
  if (!is_only(expr, Op::load) || !expr.stored.empty()) return false;
  const Strided& x = expr.operands.front();
  return x.storage == word_storage(expr.dtype()) &&
         layout::same(x.layout, layout::contiguous(expr.domain, x.layout.offset));
}

}  // namespace

RowAxes row_axes_of(const ScatterKernel& kernel) {
  const int rank = kernel.index.domain.rank();
  RowAxes all, axes;
  bool apart = kernel.index.piecewise.empty() && kernel.index.stored.empty();
  for (int axis = 0; axis < rank; ++axis) {
    const bool indexed = varies(kernel, static_cast<size_t>(axis));
    const bool moves = kernel.target.strides[static_cast<size_t>(axis)] != 0;
    (moves && !indexed ? axes.columns : axes.rows).push_back(axis);
    all.rows.push_back(axis);
    if (moves && indexed) apart = false;
  }
  return apart && axes.columns.rank() < max_rank ? axes : all;
}

Strided rows_in_memory(Lowering& lowering, const ScatterKernel& kernel, const RowAxes& axes) {
  Expr updates = permuted(kernel.updates, joined(axes));
  if (lies_in_order(updates)) return updates.operands.front();
  MapKernel map{std::move(updates), {}};
  map.out = lowering.temporary(map.value.dtype(), layout::contiguous(map.value.domain));
  collapse(map);
  lower(lowering, map);
  return map.out;
}

}  // namespace eglantine::lower
