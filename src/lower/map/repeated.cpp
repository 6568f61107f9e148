#include "lower/map/repeated.hpp"

#include <algorithm>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/across.hpp"
#include "lower/expressions.hpp"
#include "lower/repeated_axes.hpp"

namespace eglantine::lower {
namespace {

// Fewer results are computed in the time of another dispatch. What repeats less often is more memory to write and read
// once more than a sixteenth of the results.
constexpr int64_t fewest_results = 1 << 22, fewest_repeats = 32;
// The addresses and loads of so many operands take longer than a store does.
constexpr size_t fewest_operands = 3;

bool takes_longer_than_a_store(const Expr& value) {
  const auto is_long = [&](const Instruction& step) { return takes_many_steps(value, step); };
  return value.operands.size() >= fewest_operands || std::ranges::any_of(value.code, is_long);
}

}  // namespace

bool run_repeated_once(Lowering& lowering, const MapKernel& kernel) {
  const Expr& value = kernel.value;
  const int64_t results = value.domain.elements();
  if (results < fewest_results || !value.stored.empty() || !takes_longer_than_a_store(value)) return false;
  const Axes repeated = repeated_axes(value, [](int) { return true; });
  const layout::Box first = first_along(value.domain, repeated);
  if (results < fewest_repeats * first.length.elements()) return false;
  MapKernel once = kernel;
  restrict_to(once.value, first);
  once.out = lowering.temporary(kernel.out.dtype(), layout::contiguous(first.length));
  MapKernel copies{load_of(repeated_along(once.out, value.domain, repeated)), kernel.out};
  collapse(once);
  lower(lowering, once);
  order_by_results(copies);
  lower(lowering, copies);
  return true;
}

}  // namespace eglantine::lower
