#include "lower/reduce/rewrites/read_again.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/rewrites/across.hpp"

namespace eglantine::lower {
namespace {

/// The layout of the elements that differ: axes along which they repeat have length 1.
Layout once(Layout x) {
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (x.strides[static_cast<size_t>(axis)] == 0) x.shape[axis] = 1;
  return x;
}

/// Whether lanes read elements that lie apart, each of them many times in the kernel. Vectors that hold what lies up to
/// four apart are loaded whole: forces of 8,192 points with three coordinates side by side take 95 us so, 118 of
/// copies.
bool is_read_again_apart(const Strided& x, int lanes) {
  constexpr int64_t fewest_times = 256;  // a copy that reads apart and writes once takes a few of these
  const auto& strides = x.layout.strides;
  const bool makes_lines = std::all_of(strides.begin() + lanes + 1, strides.end(), [](int64_t s) { return s == 0; });
  return makes_lines && std::abs(strides[static_cast<size_t>(lanes)]) > vector_width &&
         x.layout.shape.elements() >= fewest_times * once(x.layout).shape.elements();
}

Strided in_lines(Lowering& lowering, const Strided& x) {
  const Layout elements = once(x.layout);
  Strided copied = materialize(lowering, load_of({x.buffer, x.storage, elements}), layout::contiguous(elements.shape));
  copied.layout = layout::expand(copied.layout, x.layout.shape);
  return copied;
}

/// Whether a binding is left for each operand, results, partial results and counters.
bool leaves_bindings(const Target& target, const ReduceKernel& kernel) {
  return kernel.prologue.operands.size() + kernel.epilogue.operands.size() + 3 <=
         static_cast<size_t>(target.max_bindings);
}

}  // namespace

ReduceKernel with_lines_of_what_is_read_again(Lowering& lowering, ReduceKernel kernel) {
  // Some ten microseconds of loads: several times what small copies that run side by side take.
  constexpr int64_t fewest_elements = 1 << 24;
  Expr& x = kernel.prologue;
  const int lanes = lanes_axis(kernel);
  if (lowering.target().software || lanes < 0 || x.domain.elements() < fewest_elements || !x.piecewise.empty() ||
      !leaves_bindings(lowering.target(), kernel))
    return kernel;
  for (Strided& operand : x.operands)
    if (is_read_again_apart(operand, lanes)) operand = in_lines(lowering, operand);
  return kernel;
}

}  // namespace eglantine::lower
