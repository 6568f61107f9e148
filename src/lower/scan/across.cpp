#include "lower/scan/across.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/layout.hpp"
#include "lower/across.hpp"
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

}  // namespace

bool reads_across(const Target& target, const ScanKernel& kernel) {
  const Expr& x = kernel.prologue;
  const int64_t inner = order_of_results(kernel.out.layout)[x.domain.rank() - 1], elements = x.domain.elements();
  if (!is_worth_a_copy(target, elements)) return false;
  return std::ranges::any_of(x.operands, [&](const Strided& operand) { return lies_across(operand, inner, elements); });
}

ScanKernel of_copy(Lowering& lowering, const ScanKernel& kernel) {
  Axes flipped;
  for (int axis = 0; axis < kernel.prologue.domain.rank(); ++axis)
    if (stride_of(kernel.out.layout, axis) < 0) flipped.push_back(axis);
  const auto flip = [&](Layout& x) {
    for (const int64_t axis : flipped) x = layout::flip(x, static_cast<int>(axis));
  };
  Expr as_results = kernel.prologue;
  for (Strided& operand : as_results.operands) flip(operand.layout);
  for (Layout& iota : as_results.iotas) flip(iota);
  Strided x = materialize_in_order(lowering, as_results, order_of_results(kernel.out.layout));
  flip(x.layout);
  ScanKernel scan = kernel;
  scan.prologue = load_of(x);
  return scan;
}

}  // namespace eglantine::lower
