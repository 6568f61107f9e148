#pragma once

#include "graph/planning/ownership/row_chains.hpp"
#include "graph/planning/view_splits.hpp"
#include "layout/layout.hpp"

namespace eglantine {

/// What the coordinates of a row kernel's domain are: elements, and rows.
struct RowDomain {
  const RowFolds& folds;
  Layout elements, rows;
  int kept;  ///< axes before those of a row

  /// Of a node with a value for each row, or for each element.
  const Layout& layout_of(const Node& x) const {
    return x.shape.elements() == folds.first->shape.elements() ? rows : elements;
  }
  void split(const AxisSplit& split);
};

/// columns: the kept axes in the order in which the kernel goes through them; empty: in their own.
RowDomain row_domain(const RowFolds& folds, const Axes& columns);

}  // namespace eglantine
