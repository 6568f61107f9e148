#include "codegen/addresses/access_pattern.hpp"

#include <algorithm>

namespace eglantine::codegen {
namespace {

int64_t stride_of(const Layout& x, int axis) { return x.strides[static_cast<size_t>(axis)]; }

layout::Reach reach_of_all(const Layout& x, int axis, int end) {
  layout::Reach reached{0, 0};
  for (int i = axis; i < end; ++i) {
    const int64_t span = (x.shape[i] - 1) * stride_of(x, i);
    (span < 0 ? reached.first : reached.last) += span;
  }
  return reached;
}

/// What axes [axis, end) reach for indices `first` to `last`: whole rows between, a part of a row at either end.
layout::Reach reach_between(const Layout& x, int axis, int end, int64_t first, int64_t last) {
  if (axis == end) return {0, 0};
  int64_t inner = 1;
  for (int i = axis + 1; i < end; ++i) inner *= x.shape[i];
  if (first == 0 && last == x.shape[axis] * inner - 1) return reach_of_all(x, axis, end);
  const int64_t first_row = first / inner, last_row = last / inner, stride = stride_of(x, axis);
  const auto rows = [&](int64_t row, int64_t from, int64_t to) {
    const layout::Reach r = reach_between(x, axis + 1, end, from, to);
    return layout::Reach{r.first + row * stride, r.last + row * stride};
  };
  const auto join = [](const layout::Reach& a, const layout::Reach& b) {
    return layout::Reach{std::min(a.first, b.first), std::max(a.last, b.last)};
  };
  if (first_row == last_row) return rows(first_row, first % inner, last % inner);
  layout::Reach reached = join(rows(first_row, first % inner, inner - 1), rows(last_row, 0, last % inner));
  if (last_row - first_row > 1) {
    reached = join(reached, rows(first_row + 1, 0, inner - 1));
    reached = join(reached, rows(last_row - 1, 0, inner - 1));
  }
  return reached;
}

}  // namespace

int64_t count_of(const Shape& domain, const AxisSpan& span) {
  int64_t count = 1;
  for (int i = 0; i < span.rank; ++i) count *= domain[span.first + i];
  return count;
}

int64_t span_stride(const Layout& x, const AxisSpan& span) {
  for (int axis = span.first + span.rank - 1; axis >= span.first; --axis) {
    if (x.shape[axis] > 1) return stride_of(x, axis);
  }
  return 0;
}

AccessPattern access_pattern_of(const Layout& x, const AxisSpan& span) {
  const int64_t stride = span_stride(x, span);
  int64_t expected = stride;
  for (int axis = span.first + span.rank - 1; axis >= span.first; --axis) {
    if (x.shape[axis] <= 1) continue;
    if (stride_of(x, axis) != expected) return AccessPattern::coordinates;
    expected *= x.shape[axis];
  }
  if (stride == 0) return AccessPattern::broadcast;
  return stride == 1 ? AccessPattern::contiguous : AccessPattern::strided;
}

bool rows_of_whole_vectors(const Shape& domain, const AxisSpan& span) {
  return span.rank > 1 && domain[span.first + span.rank - 1] % 4 == 0;
}

layout::Reach reach_of(const Layout& x, const AxisSpan& span, const Window& window) {
  return reach_between(x, span.first, span.first + span.rank, window.first, window.first + window.count - 1);
}

bool differ_by_fours(const Layout& a, const Layout& b) {
  if (a.shape.rank() != b.shape.rank() || (a.offset - b.offset) % vector_width != 0) return false;
  for (size_t axis = 0; axis < a.strides.size(); ++axis)
    if ((a.strides[axis] - b.strides[axis]) % vector_width != 0) return false;
  return true;
}

}  // namespace eglantine::codegen
