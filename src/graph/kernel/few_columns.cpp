#include "graph/kernel/few_columns.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "graph/kernel/expression.hpp"
#include "layout/collapse.hpp"
#include "layout/reduce_tree.hpp"

namespace eglantine {

namespace {

/// Axes [first, end) of a layout, merged where they continue each other; of none an axis of length 1.
Layout merged(const Layout& x, int first, int end) {
  if (first == end) return {{1}, {1}, 0};
  std::vector<Layout> part{
      {Shape(x.shape.begin() + first, x.shape.begin() + end), {x.strides.begin() + first, x.strides.begin() + end}, 0}};
  layout::collapse(part);
  return part.front();
}

Layout joined(Layout outer, const Layout& inner) {
  for (int64_t length : inner.shape) outer.shape.push_back(length);
  outer.strides.insert(outer.strides.end(), inner.strides.begin(), inner.strides.end());
  return outer;
}

}  // namespace

FewColumnsSizes sizes_of(const FewColumnsKernel& kernel) {
  FewColumnsSizes sizes{1, 1, 1, kernel.columns.shape.elements()};
  for (int axis = 0; axis < kernel.prologue.domain.rank(); ++axis)
    (axis < kernel.batch_rank  ? sizes.batches
     : axis < kernel.kept_rank ? sizes.rows
                               : sizes.length) *= kernel.prologue.domain[axis];
  return sizes;
}

Strided columns_of(const FewColumnsKernel& kernel) {
  const Layout& first = kernel.vectors.layout;
  const Layout kept = joined(merged(first, 0, kernel.batch_rank), kernel.columns);
  Layout all = joined(merged(kept, 0, kept.shape.rank()), merged(first, kernel.kept_rank, first.shape.rank()));
  all.offset = first.offset + kernel.columns.offset;
  return {kernel.vectors.buffer, kernel.vectors.storage, all};
}

namespace {

/// Whether neighbouring rows lie closer together than a row's elements along each axis reach: of windows that overlap,
/// as of rows that lie side by side.
bool overlap(const FewColumnsKernel& kernel, const Layout& x) {
  const int64_t row = std::abs(x.strides[static_cast<size_t>(kernel.kept_rank) - 1]);
  for (int axis = kernel.kept_rank; axis < x.shape.rank(); ++axis) {
    const int64_t step = std::abs(x.strides[static_cast<size_t>(axis)]);
    if (x.shape[axis] > 1 && step > 0 && row >= step * x.shape[axis]) return false;
  }
  return row > 0;
}

}  // namespace

bool lies_along_rows(const FewColumnsKernel& kernel) {
  std::vector<Layout> operands;
  for (size_t i = 0; i < kernel.prologue.operands.size(); ++i)
    if (kernel.prologue.piecewise_of(i) == nullptr) operands.push_back(kernel.prologue.operands[i].layout);
  // Of windows of what is padded there are no others.
  if (std::all_of(operands.begin(), operands.end(), [&](const Layout& x) { return overlap(kernel, x); })) return true;
  Axes summed;
  for (int axis = kernel.kept_rank; axis < kernel.prologue.domain.rank(); ++axis) summed.push_back(axis);
  return layout::reduce_order(kernel.prologue.domain, operands, summed).tree == layout::ReduceTree::column;
}

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

}  // namespace

std::optional<MatmulKernel> as_matmul(const FewColumnsKernel& kernel) {
  const int rank = kernel.prologue.domain.rank(), batch_rank = kernel.batch_rank;
  std::vector<Layout> columns{kernel.columns};
  layout::collapse(columns);
  if (!is_only(kernel.prologue, Op::load) || kernel.kept_rank != batch_rank + 1 || rank != kernel.kept_rank + 1 ||
      columns[0].shape.rank() != 1)
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

}  // namespace eglantine
