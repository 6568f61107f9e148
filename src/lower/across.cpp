#include "lower/across.hpp"

#include <cstdlib>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"

namespace eglantine::lower {

bool is_worth_a_copy(const Target& target, int64_t elements) {
  constexpr int64_t fewest = 1 << 18, most = 1 << 28;
  return !target.software && elements >= fewest && elements <= most;
}

namespace {

/// Elements that follow one another along other axes than `inner`, as far as `enough`.
int64_t run_beside(const Layout& x, int64_t inner, int64_t enough) {
  int64_t run = 1;
  const auto follows = [&](int axis) {
    return axis != inner && x.shape[axis] > 1 && std::abs(x.strides[static_cast<size_t>(axis)]) == run;
  };
  for (int axis = 0; axis < x.shape.rank() && run < enough;) {
    const bool next = follows(axis);
    if (next) run *= x.shape[axis];
    axis = next ? 0 : axis + 1;
  }
  return run;
}

}  // namespace

bool lies_across(const Strided& x, int64_t inner, int64_t elements) {
  constexpr int64_t sector = 32;
  const int64_t apart = sector / bytes_of(x.storage);
  const auto stride = [&](int64_t axis) { return std::abs(x.layout.strides[static_cast<size_t>(axis)]); };
  if (stride(inner) < apart || 2 * layout::reach(x.layout).count() < elements) return false;
  return run_beside(x.layout, inner, apart) >= apart;
}

Strided materialize_in_order(Lowering& lowering, const Expr& expr, const Axes& order) {
  MapKernel copy{expr, {}};
  for (Strided& operand : copy.value.operands) operand.layout = layout::permute(operand.layout, order);
  for (Layout& iota : copy.value.iotas) iota = layout::permute(iota, order);
  copy.value.domain = layout::permute(layout::contiguous(expr.domain), order).shape;
  copy.out = lowering.temporary(expr.dtype(), layout::contiguous(copy.value.domain));
  Strided copied = copy.out;
  copied.layout = layout::permute(copied.layout, layout::inverse_of(order));
  collapse(copy);
  lower(lowering, copy);
  return copied;
}

void order_by_results(MapKernel& map) {
  const Axes order = layout::by_distance(map.out.layout);
  const auto change = [&](Layout& x) { x = layout::permute(x, order); };
  for (Strided& operand : map.value.operands) change(operand.layout);
  for (Layout& iota : map.value.iotas) change(iota);
  change(map.out.layout);
  map.value.domain = map.out.layout.shape;
  collapse(map);
}

}  // namespace eglantine::lower
