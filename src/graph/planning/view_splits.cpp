#include "graph/planning/view_splits.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "graph/planning/row_domain.hpp"
#include "layout/collapse.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Where positions with stride `step`, `length` of them, first pass from one row of the shape into the next: after so
/// many; 0 where they do not, or not after a whole number of rows.
int64_t crossing(const Shape& shape, int64_t step, int64_t length) {
  int64_t row = 1;
  for (int axis = shape.rank() - 1; axis > 0; --axis) {
    row *= shape[axis];
    if (step == 0 || row % step != 0) continue;
    const int64_t inner = row / step;
    if (inner > 1 && inner < length && length % inner == 0) return inner;
  }
  return 0;
}

/// The split after which one more axis of `outer` stays within a row of the view.
std::optional<AxisSplit> split_at_rows(const Layout& outer, const Layout& view) {
  std::vector<Layout> merged{view};
  layout::collapse(merged);
  for (int axis = 0; axis < outer.shape.rank(); ++axis) {
    const int64_t inner =
        crossing(merged.front().shape, std::abs(outer.strides[static_cast<size_t>(axis)]), outer.shape[axis]);
    if (inner > 0) return AxisSplit{axis, inner};
  }
  return std::nullopt;
}

/// Looks for the first view that has no strides over the domain.
class Search {
 public:
  /// rows: of a row kernel; else null.
  Search(const Ownership& owners, const Node* self, const RowDomain* rows)
      : owners_(owners), self_(self), rows_(rows) {}

  std::optional<AxisSplit> find(const Node& x, const Layout& at) {
    if (!is_computed_here(x) || !is_new(x, at)) return std::nullopt;
    if (const auto* view = x.as<nodes::View>()) {
      const std::optional<Layout> through = layout::compose(at, view->layout);
      if (through) return find(*view->source, *through);
      return may_split(*view) ? split_at_rows(at, view->layout) : std::nullopt;
    }
    if (is_fold(x, at)) return find(*x.as<nodes::Reduce>()->arg, rows_->elements);
    if (!x.is_elementwise()) return std::nullopt;
    for (const NodePtr& source : sources_of(x))
      if (const std::optional<AxisSplit> split = find(*source, at)) return split;
    return std::nullopt;
  }

 private:
  bool is_computed_here(const Node& x) const {
    if (x.is_computed()) return false;
    if (&x == self_ || owners_.materialized.count(&x) == 0) return true;
    const auto owner = owners_.stored_by.find(&x);
    return owner != owners_.stored_by.end() && owner->second == self_;
  }

  /// A row kernel reads all of its elements in another order faster from a copy.
  bool may_split(const nodes::View& view) const {
    return rows_ == nullptr || view.source->shape.elements() < rows_->elements.size();
  }

  bool is_fold(const Node& x, const Layout& at) const {
    return rows_ != nullptr && rows_->folds.folds.count(&x) != 0 && layout::same(at, rows_->rows);
  }

  /// Whether x is met at these places for the first time; never after many nodes, which views may show in many ways.
  bool is_new(const Node& x, const Layout& at) {
    constexpr size_t most = 256;
    const auto [first, last] = seen_.equal_range(&x);
    const auto is_known = [&](const auto& known) { return layout::same(known.second, at); };
    if (seen_.size() == most || std::any_of(first, last, is_known)) return false;
    seen_.emplace(&x, at);
    return true;
  }

  const Ownership& owners_;
  const Node* self_;
  const RowDomain* rows_;
  std::unordered_multimap<const Node*, Layout> seen_;
};

}  // namespace

Layout split_axis(Layout x, const AxisSplit& split) {
  const int64_t outer = x.shape[split.axis] / split.inner, stride = x.strides[static_cast<size_t>(split.axis)];
  x.shape[split.axis] = split.inner;
  x.shape.insert(split.axis, outer);
  x.strides.insert(x.strides.begin() + split.axis, stride * split.inner);
  return x;
}

std::vector<AxisSplit> view_splits(const Node& x, Layout at, const Ownership& owners, const Node* self) {
  std::vector<AxisSplit> splits;
  while (at.shape.rank() < max_rank) {
    const std::optional<AxisSplit> split = Search(owners, self, nullptr).find(x, at);
    if (!split) break;
    at = split_axis(std::move(at), *split);
    splits.push_back(*split);
  }
  return splits;
}

void split_at_views(RowDomain& rows, const Node& x, const Ownership& owners, const Node& self) {
  while (rows.elements.shape.rank() < max_rank) {
    const std::optional<AxisSplit> split = Search(owners, &self, &rows).find(x, rows.layout_of(x));
    if (!split) break;
    rows.split(*split);
  }
}

}  // namespace eglantine
