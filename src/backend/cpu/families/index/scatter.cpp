#include "backend/cpu/families/index/scatter_task.hpp"

namespace eglantine::cpu {

namespace {

Word put(Word, Word update) { return update; }

}  // namespace

void run_scatter(const ScatterKernel& kernel, ThreadPool& pool) {
  FirstOutside outside;
  const int64_t elements = kernel.index.domain.elements();
  if (kernel.combine) {
    scatter_combined(kernel, outside, pool);
  } else {
    // The order of updates to one element matters, so only updates to distinct elements are distributed.
    const ScatterTask task(kernel, outside);
    if (kernel.distinct)
      pool.parallel_for(elements, chunk_elements,
                        [&](int64_t begin, int64_t end) { scatter_all<put>(task, begin, end); });
    else
      scatter_all<put>(task, 0, elements);
  }
  outside.throw_if_any(*kernel.check);
}

}  // namespace eglantine::cpu
