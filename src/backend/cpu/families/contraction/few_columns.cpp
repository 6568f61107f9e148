#include "graph/kernel/few_columns.hpp"

#include <algorithm>
#include <optional>

#include "backend/cpu/families/contraction/few_columns_panels.hpp"
#include "backend/cpu/families/families.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/collapse.hpp"
#include "layout/layout.hpp"

namespace eglantine::cpu {

namespace {

Layout over(const Layout& x, int batch_rank, const Shape& batch, std::array<int64_t, 2> lengths,
            std::array<int64_t, 2> strides) {
  Layout result{batch, {x.strides.begin(), x.strides.begin() + batch_rank}, x.offset};
  for (size_t i = 0; i < 2; ++i) {
    result.shape.push_back(lengths[i]);
    result.strides.push_back(strides[i]);
  }
  return result;
}

/// The product of a matrix of words in memory as it is, which BLAS computes fastest. A narrow one is widened in panels.
std::optional<MatmulKernel> as_matmul(const FewColumnsKernel& kernel) {
  const bool stored = is_only(kernel.prologue, Op::load) && !is_narrow(kernel.prologue.operands[0].storage);
  const int rank = kernel.prologue.domain.rank(), batch_rank = kernel.batch_rank;
  std::vector<Layout> columns{kernel.columns};
  layout::collapse(columns);
  if (!stored || kernel.kept_rank != batch_rank + 1 || rank != kernel.kept_rank + 1 || columns[0].shape.rank() != 1)
    return std::nullopt;
  const FewColumnsSizes sizes = sizes_of(kernel);
  const Strided &matrix = kernel.prologue.operands[0], &vectors = kernel.vectors;
  const int64_t row = matrix.layout.strides[static_cast<size_t>(batch_rank)], k = matrix.layout.strides.back();
  const int64_t column = columns[0].strides[0], vector_k = vectors.layout.strides.back();
  const Shape batch(kernel.prologue.domain.begin(), kernel.prologue.domain.begin() + batch_rank);
  const auto operand = [&](const Strided& x, std::array<int64_t, 2> lengths, std::array<int64_t, 2> strides) {
    return Strided{x.buffer, x.storage, over(x.layout, batch_rank, batch, lengths, strides)};
  };
  MatmulKernel product{batch, sizes.rows, sizes.columns, sizes.length, {}, {}, kernel.epilogue, kernel.out};
  if (kernel.columns_first) {
    std::swap(product.m, product.n);
    product.a = operand(vectors, {sizes.columns, sizes.length}, {column, vector_k});
    product.b = operand(matrix, {sizes.length, sizes.rows}, {k, row});
  } else {
    product.a = operand(matrix, {sizes.rows, sizes.length}, {row, k});
    product.b = operand(vectors, {sizes.length, sizes.columns}, {vector_k, column});
  }
  return product;
}

}  // namespace

void run_few_columns(const FewColumnsKernel& kernel, ThreadPool& pool) {
  if (const std::optional<MatmulKernel> product = as_matmul(kernel)) return run_matmul(*product, pool);
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
