#include "graph/planning/view_splits.hpp"

#include <cstdlib>
#include <optional>

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
  Search(const std::unordered_set<const Node*>& materialized, const Node* self)
      : materialized_(materialized), self_(self) {}

  std::optional<AxisSplit> find(const Node& x, const Layout& at) {
    constexpr int most = 256;  // of shared nodes, which views may show in many ways
    if (++visited_ > most || x.is_computed() || (materialized_.count(&x) && &x != self_)) return std::nullopt;
    if (const auto* view = x.as<nodes::View>()) {
      const std::optional<Layout> through = layout::compose(at, view->layout);
      return through ? find(*view->source, *through) : split_at_rows(at, view->layout);
    }
    if (!x.is_elementwise()) return std::nullopt;
    for (const NodePtr& source : sources_of(x))
      if (const std::optional<AxisSplit> split = find(*source, at)) return split;
    return std::nullopt;
  }

 private:
  const std::unordered_set<const Node*>& materialized_;
  const Node* self_;
  int visited_ = 0;
};

}  // namespace

Layout split_axis(Layout x, const AxisSplit& split) {
  const int64_t outer = x.shape[split.axis] / split.inner, stride = x.strides[static_cast<size_t>(split.axis)];
  x.shape[split.axis] = split.inner;
  x.shape.insert(split.axis, outer);
  x.strides.insert(x.strides.begin() + split.axis, stride * split.inner);
  return x;
}

std::vector<AxisSplit> view_splits(const Node& x, Layout at, const std::unordered_set<const Node*>& materialized,
                                   const Node* self) {
  std::vector<AxisSplit> splits;
  while (at.shape.rank() < max_rank) {
    const std::optional<AxisSplit> split = Search(materialized, self).find(x, at);
    if (!split) break;
    at = split_axis(std::move(at), *split);
    splits.push_back(*split);
  }
  return splits;
}

}  // namespace eglantine
