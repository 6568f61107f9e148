#include "lower/row/along_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "codegen/access_pattern.hpp"
#include "graph/expression.hpp"
#include "graph/row_chain.hpp"
#include "layout/layout.hpp"
#include "lower/row/moves.hpp"
#include "lower/row/schedule.hpp"

namespace eglantine::lower {
namespace {

bool goes_along_rows(const Layout& x, int kept_rank) {
  return codegen::access_pattern_of(x, {kept_rank, x.shape.rank() - kept_rank}) == codegen::AccessPattern::contiguous;
}

/// Of the operands that have an element of their own for each.
bool all_go_along_rows(const RowKernel& kernel) {
  const Expr& value = kernel.value;
  bool any = false;
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const Layout& x = value.operands[i].layout;
    if (value.stores(i) || is_of_rows(x, kernel.kept_rank)) continue;
    if (value.piecewise_of(i) != nullptr || !goes_along_rows(x, kernel.kept_rank)) return false;
    any = true;
  }
  return any;
}

/// Whether rows are folded as they are in memory. What is computed first may as well be read from memory that a kernel
/// before wrote in another order, and its rows are to have the same bits.
bool folds_what_is_read(const RowKernel& kernel) {
  const Expr& value = kernel.value;
  const std::vector<bool> of_row = of_rows(value, kernel.kept_rank);
  std::vector<bool> folded;  // by instruction, whether it depends on a fold
  for (size_t i = 0; i < value.code.size(); ++i) {
    const Instruction& step = value.code[i];
    bool depends = step.op == Op::fold;
    for_each_argument(value, step, [&](int32_t x) { depends = depends || folded[static_cast<size_t>(x)]; });
    folded.push_back(depends);
    const bool reads = step.op == Op::load || step.op == Op::store;
    if (!reads && !depends && !of_row[i]) return false;
  }
  return true;
}

/// With the results' axes in the order in which they lie.
MapKernel in_order_of_results(MapKernel map) {
  Axes order;
  for (int axis = 0; axis < map.value.domain.rank(); ++axis) order.push_back(axis);
  const auto stride = [&](int64_t axis) { return std::abs(map.out.layout.strides[static_cast<size_t>(axis)]); };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
  Strided& from = map.value.operands.front();
  from.layout = layout::permute(from.layout, order);
  map.out.layout = layout::permute(map.out.layout, order);
  map.value.domain = map.out.layout.shape;
  collapse(map);
  return map;
}

}  // namespace

bool run_along_rows(Lowering& lowering, const RowKernel& kernel) {
  const Target& target = lowering.target();
  if (target.software || !kernel.strided || !all_go_along_rows(kernel) || !folds_what_is_read(kernel)) return false;
  if (plan_row(target, kernel, chain_of(kernel, RowReads::once)).register_resident) return false;
  RowKernel rows = kernel;
  rows.strided = false;
  std::vector<MapKernel> moves;
  const auto replace = [&](Strided& out) {
    if (is_of_rows(out.layout, kernel.kept_rank)) return;
    Strided made = lowering.temporary(out.dtype(), contiguous_result(out.layout, kernel.kept_rank));
    moves.push_back(in_order_of_results(moving(made, out, kernel.kept_rank)));
    out = made;
  };
  for (const size_t i : rows.value.stored) replace(rows.value.operands[i]);
  replace(rows.out);
  lower(lowering, rows);
  for (const MapKernel& move : moves) lower(lowering, move);
  return true;
}

}  // namespace eglantine::lower
