#include "lower/scan/repeated.hpp"

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/across.hpp"
#include "lower/expressions.hpp"
#include "lower/repeated_axes.hpp"

namespace eglantine::lower {
namespace {

// Fewer are scanned in the time of another dispatch.
constexpr int64_t fewest_repeated_results = int64_t{1} << 18;

/// Dense, in the order of another layout's axes.
Layout dense_in_order(const Shape& shape, const Axes& order) {
  Layout dense{shape, std::vector<int64_t>(static_cast<size_t>(shape.rank())), 0};
  int64_t elements = 1;
  for (int i = order.rank() - 1; i >= 0; --i) {
    dense.strides[static_cast<size_t>(order[i])] = elements;
    elements *= shape[static_cast<int>(order[i])];
  }
  return dense;
}

}  // namespace

bool run_repeated_once(Lowering& lowering, const ScanKernel& kernel) {
  const Shape& domain = kernel.prologue.domain;
  if (!kernel.prologue.stored.empty() || !kernel.prologue.piecewise.empty()) return false;
  if (domain.elements() < fewest_repeated_results) return false;
  const Axes repeated = repeated_axes(kernel.prologue, [&](int axis) { return axis < kernel.kept_rank; });
  if (repeated.empty()) return false;
  const layout::Box first = first_along(domain, repeated);
  ScanKernel once = kernel;
  restrict_to(once.prologue, first);
  const Axes order = layout::by_distance(kernel.out.layout);
  const DType dtype = kernel.prologue.dtype();
  once.epilogue = accumulator_over(first.length, dtype);
  once.out = lowering.temporary(dtype, dense_in_order(first.length, order));
  const Strided results = repeated_along(once.out, domain, repeated);
  collapse(once);
  lower(lowering, once);
  MapKernel map{reading_accumulator(kernel.epilogue, results), kernel.out};
  order_by_results(map);
  lower(lowering, map);
  return true;
}

}  // namespace eglantine::lower
