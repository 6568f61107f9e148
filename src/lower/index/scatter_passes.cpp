#include "lower/index/scatter_passes.hpp"

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// Over the updates. There may be no operand.
Cut cut_of(const Target& target, const ScatterKernel& kernel) {
  std::vector<Layout> layouts = layouts_of(kernel.index), others = layouts_of(kernel.updates);
  layouts.insert(layouts.end(), others.begin(), others.end());
  layouts.push_back(kernel.place);
  return cut_along_inner(target, std::move(layouts), 1, widest_element(kernel));
}

void run_window(Lowering& lowering, const ScatterKernel& kernel, ScatterPass pass, ScatterJob job,
                const Window& window) {
  if (pass == ScatterPass::keys) job.keys.layout = kernel.updates.operands.front().layout;
  lowering.dispatch(ScatterProgram(lowering.target(), kernel, pass, job, window).dispatch());
}

}  // namespace

ScatterKernel restricted(const ScatterKernel& kernel, const layout::Box& box) {
  ScatterKernel boxed = kernel;
  restrict_to(boxed.index, box);
  restrict_to(boxed.updates, box);
  boxed.target = layout::restrict_to(boxed.target, box);
  boxed.place = layout::restrict_to(boxed.place, box);
  collapse(boxed);
  return boxed;
}

void run_pass(Lowering& lowering, const ScatterKernel& kernel, ScatterPass pass, const ScatterJob& job) {
  const std::vector<IndexWindow> windows =
      index_windows(lowering.target(), kernel.index.domain, cut_of(lowering.target(), kernel),
                    {kernel.target, kernel.length, kernel.stride});
  if (windows.size() == 1) return run_window(lowering, kernel, pass, job, windows.front().axis);
  for (const IndexWindow& window : windows)
    run_window(lowering, restricted(kernel, window.box), pass, job, window.axis);
}

Strided keys_of(Lowering& lowering, ScatterKernel kernel, ScatterJob job) {
  Strided keys = lowering.temporary(DType::u32, layout::contiguous(Shape{kernel.index.domain.elements()}));
  job.keys = keys;
  // This pass reads no updates; where it writes each key is cut and collapsed in their place.
  kernel.updates = load_of({keys.buffer, keys.storage, layout::contiguous(kernel.index.domain)});
  // Keys are whole addresses: no windows of the axis.
  const codegen::Window axis{0, kernel.length};
  const std::vector<layout::Box> boxes =
      windows_of(lowering.target(), kernel.index.domain, cut_of(lowering.target(), kernel));
  for (const layout::Box& box : boxes)
    run_window(lowering, boxes.size() == 1 ? kernel : restricted(kernel, box), ScatterPass::keys, job, axis);
  return keys;
}

}  // namespace eglantine::lower
