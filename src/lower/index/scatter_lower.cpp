#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/index/compaction.hpp"
#include "lower/index/scatter_in_order.hpp"
#include "lower/index/scatter_passes.hpp"

namespace eglantine::lower {
namespace {

/// The last update of each element wins; a first pass determines it.
void assign(Lowering& lowering, const ScatterKernel& kernel, ScatterJob job) {
  const Strided winners = lowering.temporary(DType::u32, layout::contiguous(Shape{kernel.out.layout.size()}));
  clear(lowering, winners);
  job.winners = winners.buffer;
  run_pass(lowering, kernel, ScatterPass::claim, job);
  run_pass(lowering, kernel, ScatterPass::settle, job);
}

/// Exact in any order, by a function that atomics have.
bool by_atomics(const ScatterKernel& kernel) {
  const Reduction by = *kernel.combine;
  return kernel.out.dtype() != DType::f32 && (by == Reduction::sum || by == Reduction::max || by == Reduction::min);
}

}  // namespace

void lower(Lowering& lowering, const ScatterKernel& kernel) {
  if (kernel.is_compaction()) return compact(lowering, kernel);
  const ScatterJob job{lowering.index_flag()};
  if (!kernel.combine)
    return kernel.distinct ? run_pass(lowering, kernel, ScatterPass::direct, job) : assign(lowering, kernel, job);
  by_atomics(kernel) ? run_pass(lowering, kernel, ScatterPass::atomic, job) : combine_in_order(lowering, kernel, job);
}

}  // namespace eglantine::lower
