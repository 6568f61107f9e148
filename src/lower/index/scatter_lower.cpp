#include <bit>

#include "graph/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/index/scatter_program.hpp"
#include "lower/index/scatter_segments.hpp"
#include "lower/sort/low_bits.hpp"

namespace eglantine::lower {
namespace {

/// Over the updates. There may be no operand.
Cut cut_of(const Target& target, const ScatterKernel& kernel) {
  std::vector<Layout> layouts = layouts_of(kernel.index), others = layouts_of(kernel.updates);
  layouts.insert(layouts.end(), others.begin(), others.end());
  layouts.push_back(kernel.place);
  return cut_along_inner(target, std::move(layouts), 1, widest_element(kernel));
}

ScatterKernel restricted(const ScatterKernel& kernel, const layout::Box& box) {
  ScatterKernel boxed = kernel;
  restrict_to(boxed.index, box);
  restrict_to(boxed.updates, box);
  boxed.target = layout::restrict_to(boxed.target, box);
  boxed.place = layout::restrict_to(boxed.place, box);
  collapse(boxed);
  return boxed;
}

void run_window(Lowering& lowering, const ScatterKernel& kernel, ScatterPass pass, ScatterJob job,
                const Window& window) {
  if (pass == ScatterPass::keys) job.keys.layout = kernel.updates.operands.front().layout;
  lowering.dispatch(ScatterProgram(lowering.target(), kernel, pass, job, window).dispatch());
}

void run_pass(Lowering& lowering, const ScatterKernel& kernel, ScatterPass pass, const ScatterJob& job) {
  const std::vector<IndexWindow> windows =
      index_windows(lowering.target(), kernel.index.domain, cut_of(lowering.target(), kernel),
                    {kernel.target, kernel.length, kernel.stride});
  if (windows.size() == 1) return run_window(lowering, kernel, pass, job, windows.front().axis);
  for (const IndexWindow& window : windows)
    run_window(lowering, restricted(kernel, window.box), pass, job, window.axis);
}

Strided temporary_of(Lowering& lowering, DType dtype, int64_t count) {
  return lowering.temporary(dtype, layout::contiguous(Shape{count}));
}

/// The last update of each element wins; a first pass determines it.
void assign(Lowering& lowering, const ScatterKernel& kernel, ScatterJob job) {
  const Strided winners = temporary_of(lowering, DType::u32, kernel.out.layout.size());
  clear(lowering, winners);
  job.winners = winners.buffer;
  run_pass(lowering, kernel, ScatterPass::claim, job);
  run_pass(lowering, kernel, ScatterPass::settle, job);
}

/// The element that each update goes to, in the updates' order.
Strided keys_of(Lowering& lowering, ScatterKernel kernel, ScatterJob job) {
  Strided keys = temporary_of(lowering, DType::u32, kernel.index.domain.elements());
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

/// The updates in their order, as an expression over one axis.
Expr values_of(Lowering& lowering, const ScatterKernel& kernel) {
  // A sort also binds its keys and results.
  if (kernel.updates.domain.rank() == 1 && kernel.updates.operands.size() <= 1) return kernel.updates;
  Strided values = materialize(lowering, kernel.updates, layout::contiguous(kernel.updates.domain));
  values.layout = layout::contiguous(Shape{kernel.updates.domain.elements()});
  return load_of(values);
}

/// Keys are elements of `out`, or the key of none: all ones, and larger than any of them also in so many bits.
int key_bits(const Strided& out) { return std::bit_width(static_cast<uint64_t>(out.layout.size())); }

/// A stable sort groups the updates of each element, which are then combined in a fixed order.
void combine_in_order(Lowering& lowering, const ScatterKernel& kernel, const ScatterJob& job) {
  const Strided keys = keys_of(lowering, kernel, job);
  const Expr values = values_of(lowering, kernel);
  const int64_t count = keys.layout.size();
  const Strided grouped = temporary_of(lowering, kernel.out.dtype(), count);
  if (count == 1) {
    lower(lowering, MapKernel{values, grouped});
    return combine_segments(lowering, *kernel.combine, {keys.buffer, grouped.buffer, count}, kernel.out);
  }
  const Strided sorted = temporary_of(lowering, DType::u32, count);
  SortKernel sort;
  sort.keys = load_of(keys);
  sort.payload = values;
  sort.keep = count;
  sort.epilogue = {keys.layout.shape, {}, {}, {}, {{Op::accumulator, DType::u32}}};
  sort.out = sorted;
  sort.second = grouped;
  lower_by_low_bits(lowering, sort, key_bits(kernel.out));
  combine_segments(lowering, *kernel.combine, {sorted.buffer, grouped.buffer, count}, kernel.out);
}

/// Exact in any order, by a function that atomics have.
bool by_atomics(const ScatterKernel& kernel) {
  const Reduction by = *kernel.combine;
  return kernel.out.dtype() != DType::f32 && (by == Reduction::sum || by == Reduction::max || by == Reduction::min);
}

}  // namespace

void lower(Lowering& lowering, const ScatterKernel& kernel) {
  const ScatterJob job{lowering.index_flag()};
  if (!kernel.combine)
    return kernel.distinct ? run_pass(lowering, kernel, ScatterPass::direct, job) : assign(lowering, kernel, job);
  by_atomics(kernel) ? run_pass(lowering, kernel, ScatterPass::atomic, job) : combine_in_order(lowering, kernel, job);
}

}  // namespace eglantine::lower
