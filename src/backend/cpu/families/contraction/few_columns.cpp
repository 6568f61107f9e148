#include "graph/kernel/few_columns.hpp"

#include <algorithm>
#include <optional>

#include "backend/cpu/families/contraction/few_columns_panels.hpp"
#include "backend/cpu/families/families.hpp"
#include "graph/kernel/expression.hpp"

namespace eglantine::cpu {

namespace {

/// The product of words in memory as they are, which BLAS computes fastest. A narrow matrix is widened in panels.
std::optional<MatmulKernel> as_blas_product(const FewColumnsKernel& kernel) {
  const bool narrow = is_only(kernel.prologue, Op::load) && is_narrow(kernel.prologue.operands[0].storage);
  return narrow ? std::nullopt : as_matmul(kernel);
}

}  // namespace

void run_few_columns(const FewColumnsKernel& kernel, ThreadPool& pool) {
  if (const std::optional<MatmulKernel> product = as_blas_product(kernel)) return run_matmul(*product, pool);
  const PanelTask task(kernel);
  const FewColumnsSizes& sizes = task.sizes;
  const Words results(kernel.epilogue.domain.elements());
  const int64_t panels = (sizes.rows + task.rows - 1) / task.rows;
  const OneBlasThread one;
  pool.parallel_for(sizes.batches * panels, grain(task.rows * sizes.length), [&](int64_t begin, int64_t end) {
    Panel panel(task);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % panels * task.rows;
      panel.multiply(i / panels, first, std::min(task.rows, sizes.rows - first), results.data());
    }
  });
  run_epilogue(EvaluatorProgram(kernel.epilogue), results.data(), Elements(kernel.out), pool);
}

}  // namespace eglantine::cpu
