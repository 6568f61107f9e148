#include "graph/kernel/few_columns.hpp"

#include <algorithm>
#include <cstdlib>

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

}  // namespace eglantine
