#include "graph/planning/row_domain.hpp"

#include <utility>

namespace eglantine {

void RowDomain::split(const AxisSplit& split) {
  elements = split_axis(std::move(elements), split);
  rows = split_axis(std::move(rows), split);
  kept += split.axis < kept ? 1 : 0;
}

RowDomain row_domain(const RowFolds& folds, const Axes& columns) {
  Axes order = columns;
  if (columns.empty())
    for (int i = 0; i < folds.shape.rank(); ++i)
      if (!folds.axes.contains(i)) order.push_back(i);
  const int kept = order.rank();
  for (int64_t axis : folds.axes) order.push_back(axis);
  Layout values = layout::contiguous(folds.first->shape);  // over all axes, not along those of a row
  for (int64_t axis : folds.axes) {
    values.shape.insert(static_cast<int>(axis), folds.shape[static_cast<int>(axis)]);
    values.strides.insert(values.strides.begin() + axis, 0);
  }
  return {folds, layout::permute(layout::contiguous(folds.shape), order), layout::permute(values, order), kept};
}

}  // namespace eglantine
