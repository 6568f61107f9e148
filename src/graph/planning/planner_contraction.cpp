#include "graph/planning/planner.hpp"
#include "graph/planning/view_splits.hpp"

namespace eglantine {

namespace {

int64_t elements(const Shape& shape, int first, int count) {
  return Shape(shape.begin() + first, shape.begin() + first + count).elements();
}

/// Where the batches, rows and columns of a contraction, in this order, lie where its elements lie as `whole` says.
Layout in_order(const Node& x, const Axes& order, const Layout& whole) {
  Layout at = whole;
  for (int i = 0; i < x.shape.rank(); ++i) {
    const int axis = static_cast<int>(order[i]);
    at.shape[axis] = x.shape[i];
    at.strides[static_cast<size_t>(axis)] = whole.strides[static_cast<size_t>(i)];
  }
  return at;
}

}  // namespace

/// x over its own axes, or more where the views in it need them; `kept`: how many of those are not summed over.
Expr Planner::side_of_contraction(const Node& x, int& kept) {
  Layout at = layout::contiguous(x.shape);
  for (const AxisSplit& split : view_splits(x, at, owners_)) {
    at = split_axis(at, split);
    kept += split.axis < kept ? 1 : 0;
  }
  return argument(x, at);
}

/// `place`: where it is to write, over its shape or another one of the same order; null: memory of its own.
void Planner::contraction(const Node& x, const Node* epilogue, const Strided* place) {
  const auto& what = *x.as<nodes::Contraction>();
  const int left = what.batch + what.rows, right = what.batch + what.columns;
  ContractionKernel kernel;
  kernel.batches = elements(what.a->shape, 0, what.batch);
  kernel.rows = elements(what.a->shape, what.batch, what.rows);
  kernel.columns = elements(what.b->shape, what.batch, what.columns);
  kernel.length = elements(what.a->shape, left, what.a->shape.rank() - left);
  kernel.left_kept = left;
  kernel.right_kept = right;
  kernel.left = side_of_contraction(*what.a, kernel.left_kept);
  kernel.right = side_of_contraction(*what.b, kernel.right_kept);
  const Layout at = in_order(x, what.order, layout::contiguous(x.shape));
  kernel.epilogue = epilogue_at(x, epilogue, at);
  const Node& result = epilogue != nullptr ? *epilogue : x;
  kernel.out = place == nullptr ? output(result, at) : *place;
  if (place != nullptr)
    kernel.out.layout = in_order(x, what.order, *layout::compose(layout::contiguous(x.shape), place->layout));
  emit(std::move(kernel), result);
}

}  // namespace eglantine
