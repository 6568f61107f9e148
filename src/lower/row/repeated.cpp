#include "lower/row/repeated.hpp"

#include <algorithm>
#include <vector>

#include "graph/expression.hpp"
#include "lower/row/moves.hpp"

namespace eglantine::lower {
namespace {

// Fewer are computed in the time of another dispatch.
constexpr int64_t fewest_repeated = 1 << 16;

bool rows_repeat(const RowKernel& kernel, int axis) {
  const Expr& value = kernel.value;
  const auto stays = [axis](const Layout& x) { return x.strides[static_cast<size_t>(axis)] == 0; };
  for (size_t i = 0; i < value.operands.size(); ++i)
    if (!value.stores(i) && !stays(value.operands[i].layout)) return false;
  return value.domain[axis] > 1 && std::ranges::all_of(value.iotas, stays);
}

/// A result to memory of its own, from where the map moves it to all places along the repeated axes.
MapKernel computed_once(Lowering& lowering, Strided& result, const Strided& to, const Axes& repeated, int kept_rank) {
  result = lowering.temporary(to.dtype(), contiguous_result(result.layout, kept_rank));
  Strided from = result;
  from.layout.shape = to.layout.shape;
  for (const int64_t axis : repeated) from.layout.strides[static_cast<size_t>(axis)] = 0;
  return moving(from, to, kept_rank);
}

}  // namespace

bool run_repeated_once(Lowering& lowering, const RowKernel& kernel) {
  Axes repeated;
  layout::Box first{{}, kernel.value.domain};
  for (int axis = 0; axis < kernel.value.domain.rank(); ++axis) {
    first.start.push_back(0);
    if (axis >= kernel.kept_rank || !rows_repeat(kernel, axis)) continue;
    first.length[axis] = 1;
    repeated.push_back(axis);
  }
  if (repeated.empty() || kernel.value.domain.elements() < fewest_repeated) return false;
  RowKernel once = in_box(kernel, first);
  once.strided = once.strided && !repeated.contains(kernel.kept_rank - 1);
  once.across = once.across && once.strided == kernel.strided;
  std::vector<MapKernel> maps;
  for (const size_t i : once.value.stored)
    maps.push_back(
        computed_once(lowering, once.value.operands[i], kernel.value.operands[i], repeated, kernel.kept_rank));
  maps.push_back(computed_once(lowering, once.out, kernel.out, repeated, kernel.kept_rank));
  collapse(once);
  lower(lowering, once);
  for (const MapKernel& map : maps) lower(lowering, map);
  return true;
}

}  // namespace eglantine::lower
