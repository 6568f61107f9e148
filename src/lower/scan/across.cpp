#include "lower/scan/across.hpp"

#include <algorithm>
#include <cstdlib>

#include "graph/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

int64_t stride_of(const Layout& x, int64_t axis) { return x.strides[static_cast<size_t>(axis)]; }

/// The axes in the order in which the results lie.
Axes order_of_results(const Layout& out) {
  Axes order;
  for (int axis = 0; axis < out.shape.rank(); ++axis) order.push_back(axis);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return std::abs(stride_of(out, a)) > std::abs(stride_of(out, b)); });
  return order;
}

/// Neighbours along `inner` lie in other sectors of memory, those along another axis in the same one.
bool lies_across(const Strided& x, int64_t inner, int64_t elements) {
  constexpr int64_t sector = 32;
  const int64_t apart = sector / bytes_of(x.storage);
  if (std::abs(stride_of(x.layout, inner)) < apart || 2 * layout::reach(x.layout).count() < elements) return false;
  for (int axis = 0; axis < x.layout.shape.rank(); ++axis)
    if (std::abs(stride_of(x.layout, axis)) == 1 && x.layout.shape[axis] >= apart) return true;
  return false;
}

}  // namespace

bool reads_across(const Target& target, const ScanKernel& kernel) {
  // Fewer are scanned in the time of another dispatch; of more the copy is much memory.
  constexpr int64_t fewest = 1 << 18, most = 1 << 28;
  const Expr& x = kernel.prologue;
  const int64_t inner = order_of_results(kernel.out.layout)[x.domain.rank() - 1], elements = x.domain.elements();
  if (target.software || elements < fewest || elements > most) return false;
  return std::ranges::any_of(x.operands, [&](const Strided& operand) { return lies_across(operand, inner, elements); });
}

ScanKernel of_copy(Lowering& lowering, const ScanKernel& kernel) {
  const Axes order = order_of_results(kernel.out.layout);
  Axes flipped, back(order.begin(), order.end());
  for (int i = 0; i < order.rank(); ++i) {
    if (stride_of(kernel.out.layout, order[i]) < 0) flipped.push_back(order[i]);
    back[static_cast<int>(order[i])] = i;
  }
  const auto as_results = [&](Layout x) {
    for (const int64_t axis : flipped) x = layout::flip(x, static_cast<int>(axis));
    return layout::permute(x, order);
  };
  MapKernel copy{kernel.prologue, {}};
  for (Strided& operand : copy.value.operands) operand.layout = as_results(operand.layout);
  for (Layout& iota : copy.value.iotas) iota = as_results(iota);
  copy.value.domain = as_results(layout::contiguous(kernel.prologue.domain)).shape;
  copy.out = lowering.temporary(kernel.prologue.dtype(), layout::contiguous(copy.value.domain));
  Strided x = copy.out;
  x.layout = layout::permute(x.layout, back);
  for (const int64_t axis : flipped) x.layout = layout::flip(x.layout, static_cast<int>(axis));
  collapse(copy);
  lower(lowering, copy);
  ScanKernel scan = kernel;
  scan.prologue = load_of(x);
  return scan;
}

}  // namespace eglantine::lower
