#include "graph/planning/decomposition/extremes_of_columns.hpp"

#include <algorithm>
#include <cstdlib>

#include "graph/planning/ownership/row_chains.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

constexpr int64_t words_of_vector = 4;  // of an aligned load
// Columns side by side, of which a kernel takes whole lines of memory: several rows of fewer count as one.
constexpr int64_t fewest_side_by_side = 64;
// Elements of a part that the lanes of a group hold in registers, eight each.
constexpr int64_t most_rows_of_part = 256, fewest_parts_of_column = 8;

/// Elements of `source`, which is in memory: other axes, then a column's, then all columns side by side.
struct ColumnsInMemory {
  NodePtr source;
  Layout at;
  Layout results;  ///< over x's kept axes, of what each column gives, in the order of `at`

  int axis() const { return at.shape.rank() - 2; }
  int64_t length() const { return at.shape[axis()]; }
  int64_t side() const { return at.shape[axis() + 1]; }
  NodePtr part(int64_t first, int64_t count) const {
    return view_of(source, layout::slice(at, axis(), first, count, 1));
  }
};

int64_t stride_of(const Layout& x, int64_t axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); }

/// x with these axes forwards in memory.
Layout forwards(Layout x, const Axes& axes) {
  for (const int64_t axis : axes)
    if (x.strides[static_cast<size_t>(axis)] < 0) x = layout::flip(x, static_cast<int>(axis));
  return x;
}

/// Kept axes of x: those that neighbours within a column are further apart than, nearest last, and the others.
struct KeptAxes {
  Axes outer, inner;
};
KeptAxes kept_axes(const Layout& x, const Axes& along) {
  KeptAxes kept;
  const int64_t apart = stride_of(x, along[along.rank() - 1]);
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (!along.contains(axis))
      (stride_of(x, axis) < apart && x.shape[axis] > 1 ? kept.inner : kept.outer).push_back(axis);
  std::stable_sort(kept.inner.begin(), kept.inner.end(),
                   [&](int64_t a, int64_t b) { return stride_of(x, a) > stride_of(x, b); });
  return kept;
}

/// The results' layout over x's kept axes: they are contiguous, outer axes first, inner ones forwards in memory.
Layout results_of(const Layout& x, const KeptAxes& kept) {
  Axes order = kept.outer;
  for (const int64_t axis : kept.inner) order.push_back(axis);
  Shape shape;
  for (const int64_t axis : order) shape.push_back(x.shape[static_cast<int>(axis)]);
  Layout results = layout::contiguous(shape);
  for (int i = kept.outer.rank(); i < order.rank(); ++i)
    if (x.strides[static_cast<size_t>(order[i])] < 0) results = layout::flip(results, i);
  Axes back(order.begin(), order.end());
  for (int i = 0; i < order.rank(); ++i)
    back[static_cast<int>(std::ranges::count_if(order, [&](int64_t axis) { return axis < order[i]; }))] = i;
  return layout::permute(results, back);
}

std::optional<ColumnsInMemory> columns_in_memory(const NodePtr& x, Axes along) {
  const std::optional<Layout> there = layout_in_memory(*x);
  if (!there) return std::nullopt;
  std::stable_sort(along.begin(), along.end(),
                   [&](int64_t a, int64_t b) { return stride_of(*there, a) > stride_of(*there, b); });
  const KeptAxes kept = kept_axes(*there, along);
  const Layout at = forwards(forwards(*there, along), kept.inner);
  Axes order = kept.outer;
  Shape shape;
  int64_t length = 1, side = 1;
  for (const int64_t axis : kept.outer) shape.push_back(at.shape[static_cast<int>(axis)]);
  for (const int64_t axis : along) order.push_back(axis), length *= at.shape[static_cast<int>(axis)];
  for (const int64_t axis : kept.inner) order.push_back(axis), side *= at.shape[static_cast<int>(axis)];
  shape.push_back(length);
  shape.push_back(side);
  if (side == 1 || shape.rank() + 1 > max_rank) return std::nullopt;
  const std::optional<Layout> merged = layout::reshape(layout::permute(at, order), shape);
  if (!merged || merged->strides.back() != 1) return std::nullopt;
  return ColumnsInMemory{x->is_computed() ? x : x->as<nodes::View>()->source, *merged, results_of(*there, kept)};
}

/// Rows of the columns that count as one: as make lines of memory, in whole vectors. One where rows have gaps between
/// them.
int64_t rows_as_one(const ColumnsInMemory& columns) {
  if (columns.at.strides[static_cast<size_t>(columns.axis())] != columns.side()) return 1;
  int64_t rows = 1;
  while (rows * columns.side() < fewest_side_by_side || rows * columns.side() % words_of_vector != 0) rows *= 2;
  return rows;
}

Extremes of_parts_of_columns(const ColumnsInMemory& columns, int64_t rows, int64_t count, int64_t part) {
  const int axis = columns.axis();
  const auto shaped = [&](const Layout& x, std::initializer_list<int64_t> lengths) {
    Shape shape(columns.at.shape.begin(), columns.at.shape.begin() + axis);
    for (const int64_t length : lengths) shape.push_back(length);
    return *layout::reshape(x, shape);
  };
  const Layout head = layout::slice(columns.at, axis, 0, count * part * rows, 1);
  const Extremes parts =
      extremes_of_rows(view_of(columns.source, shaped(head, {count, part, rows * columns.side()})), axis + 1);
  const auto all = [&](const NodePtr& x, Reduction by) {
    const Layout each = shaped(layout::contiguous(x->shape), {count, rows, columns.side()});
    return make_reduce(by, x->dtype, view_of(x, each), Axes{axis, axis + 1});
  };
  return {all(parts.largest, Reduction::max), all(parts.smallest, Reduction::min)};
}

}  // namespace

std::optional<Extremes> extremes_of_columns(const NodePtr& x, const Axes& axes) {
  const std::optional<ColumnsInMemory> columns = columns_in_memory(x, axes);
  if (!columns) return std::nullopt;
  const int64_t rows = rows_as_one(*columns), length = columns->length() / rows,
                part = part_with_little_rest(length, most_rows_of_part);
  const int64_t count = length / part, head = count * part * rows;
  if (rows * columns->side() < fewest_side_by_side || count < fewest_parts_of_column) return std::nullopt;
  const Extremes found = of_parts_of_columns(*columns, rows, count, part);
  const auto placed = [&](const NodePtr& all, Reduction by, Op join) {
    const auto at = [&](const NodePtr& values) {
      return view_of(values, *layout::compose(columns->results, layout::contiguous(values->shape)));
    };
    if (head == columns->length()) return make_elementwise(Op::copy, all->dtype, {at(all), nullptr, nullptr});
    const NodePtr rest =
        make_reduce(by, x->dtype, columns->part(head, columns->length() - head), Axes{columns->axis()});
    return make_elementwise(join, all->dtype, {at(all), at(rest), nullptr});
  };
  return Extremes{placed(found.largest, Reduction::max, Op::maximum),
                  placed(found.smallest, Reduction::min, Op::minimum)};
}

}  // namespace eglantine
