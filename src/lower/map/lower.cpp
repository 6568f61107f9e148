#include <algorithm>

#include "graph/expression.hpp"
#include "lower/copies.hpp"
#include "lower/expressions.hpp"
#include "lower/lowering.hpp"
#include "lower/map/linear_boxes.hpp"
#include "lower/map/program.hpp"
#include "lower/map/transpose_program.hpp"
#include "lower/piecewise.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

/// By a tiled transpose, where an operand is strided along the output's rows and the bindings suffice.
bool run_transposed(Lowering& lowering, const MapKernel& kernel) {
  const Target& target = lowering.target();
  const std::optional<Transposed> transposed = transposed_operands(target, kernel.value);
  if (!transposed) return false;
  const TransposeProgram program(target, kernel, *transposed);
  if (program.bindings() > target.max_bindings) return false;
  if (is_narrow(kernel.out.storage) && !program.writes_whole_words()) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

void run_window(Lowering& lowering, const MapKernel& kernel) {
  if (run_transposed(lowering, kernel)) return;
  const Target& target = lowering.target();
  lowering.dispatch(program_of<MapProgram>(target, plan_map(target, kernel.value), kernel).dispatch());
}

/// The kernel over one box of its domain, its axes merged again as far as they can be.
MapKernel restricted(MapKernel kernel, const layout::Box& box) {
  restrict_to(kernel.value, box);
  kernel.out.layout = layout::restrict_to(kernel.out.layout, box);
  collapse(kernel);
  return kernel;
}

/// The window in as many parts as its piecewise reads take.
void add_boxes(const Target& target, const MapKernel& window, std::vector<MapKernel>& parts) {
  if (binds_piecewise(target, window.value)) return parts.push_back(window);
  const auto [first, second] = halves(window.value.domain, axis_to_halve(target, window.value));
  add_boxes(target, restricted(window, first), parts);
  add_boxes(target, restricted(window, second), parts);
}

/// Whether a window writes whole words, which no other window writes.
bool writes_whole_words(const MapKernel& window) {
  return !is_narrow(window.out.storage) ||
         (window.out.layout.is_contiguous() && window.out.layout.offset % vector_width == 0);
}

/// The map into memory of a word an element, and from there into narrow storage: where windows would share words.
void run_by_words(Lowering& lowering, const MapKernel& kernel) {
  const Layout line = layout::contiguous({kernel.value.domain.elements()});
  Strided words = lowering.temporary(kernel.out.dtype(), line);
  lower(lowering, MapKernel{kernel.value, {words.buffer, words.storage, kernel.out.layout}});
  lower(lowering, MapKernel{load_of(words), {kernel.out.buffer, kernel.out.storage, line}});
}

}  // namespace

void lower(Lowering& lowering, const MapKernel& kernel) {
  if (std::optional<Copy> copy = copy_of(lowering.target(), kernel)) return lowering.copy(std::move(*copy));
  const Target& target = lowering.target();
  if (const std::vector<MapKernel> parts = linear_boxes(target, kernel); !parts.empty()) {
    for (const MapKernel& part : parts) lower(lowering, part);
    return;
  }
  const Cut cut = cut_along_inner(target, layouts_of(kernel), vector_width, widest_element(kernel));
  const std::vector<layout::Box> boxes = windows_of(target, kernel.value.domain, cut);
  std::vector<MapKernel> windows;
  for (const layout::Box& box : boxes) add_boxes(target, boxes.size() == 1 ? kernel : restricted(kernel, box), windows);
  if (windows.size() == 1) return run_window(lowering, windows.front());
  if (!std::all_of(windows.begin(), windows.end(), writes_whole_words)) return run_by_words(lowering, kernel);
  for (const MapKernel& window : windows) run_window(lowering, window);
}

}  // namespace eglantine::lower
