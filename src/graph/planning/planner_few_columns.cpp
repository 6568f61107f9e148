#include "graph/planning/planner.hpp"
#include "graph/planning/view_splits.hpp"

namespace eglantine {

namespace {

/// x's last two axes in the other order.
Layout transposed(Layout x) {
  const int last = x.shape.rank() - 1;
  std::swap(x.shape[last], x.shape[last - 1]);
  std::swap(x.strides[static_cast<size_t>(last)], x.strides[static_cast<size_t>(last) - 1]);
  return x;
}

/// Axes [first, end) of x, from its offset on.
Layout axes_of(const Layout& x, int first, int end) {
  return {Shape(x.shape.begin() + first, x.shape.begin() + end),
          {x.strides.begin() + first, x.strides.begin() + end},
          x.offset};
}

/// (batch..., k) of the columns over the domain (batch..., rows, k).
Layout over_rows(Layout batches, int64_t rows, int64_t k, int64_t k_stride) {
  batches.shape.push_back(rows);
  batches.shape.push_back(k);
  batches.strides.insert(batches.strides.end(), {0, k_stride});
  return batches;
}

}  // namespace

void Planner::few_columns(const Node& x, const FewColumns& few, const Node* epilogue) {
  const auto& what = *x.as<nodes::Matmul>();
  const Node& matrix = *few.matrix(what);
  const int batch = x.shape.rank() - 2, kept = batch - few.merged_batches;
  Layout at = layout::contiguous(matrix.shape);  // (batch..., rows, k)
  if (few.of_rows) at = transposed(at);
  for (int axis = batch - 1; axis >= kept; --axis) {
    at.shape.erase(axis);
    at.strides.erase(at.strides.begin() + axis);
  }
  const Strided there = operand(*few.vectors(what));  // (batch..., columns, k)
  const Layout vectors = few.of_rows ? there.layout : transposed(there.layout);
  FewColumnsKernel kernel;
  kernel.batch_rank = kept;
  kernel.kept_rank = kept + 1;
  kernel.columns = axes_of(vectors, kept, batch + 1);
  kernel.columns.offset = 0;
  Layout first = over_rows(axes_of(vectors, 0, kept), at.shape[kept], at.shape[kept + 1], vectors.strides.back());
  for (const AxisSplit& split : view_splits(matrix, at, owners_)) {
    at = split_axis(at, split);
    first = split_axis(first, split);
    kernel.batch_rank += split.axis < kernel.batch_rank ? 1 : 0;
    kernel.kept_rank += split.axis < kernel.kept_rank ? 1 : 0;
  }
  kernel.prologue = argument(matrix, at);
  kernel.vectors = {there.buffer, there.storage, first};
  kernel.columns_first = few.columns_first();
  kernel.epilogue = epilogue_of(x, epilogue);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  kernel.out = output(result, layout::contiguous(result.shape));
  emit(std::move(kernel), result);
}

}  // namespace eglantine
