#include "graph/planning/decomposition/extremes.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <optional>

#include "graph/planning/decomposition/extremes_of_columns.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

constexpr int64_t vector = 4;  // of an aligned load
constexpr int64_t longest_part = 8192, shortest_part = longest_part / 2;

/// Elements of `source`, which is in memory: kept axes, then those of a row, one behind the other.
struct RowsInMemory {
  NodePtr source;
  Layout at;

  int axis() const { return at.shape.rank() - 1; }
  int64_t length() const { return at.shape[axis()]; }
  NodePtr part(int64_t first, int64_t count) const {
    return view_of(source, layout::slice(at, axis(), first, count, 1));
  }
};

std::optional<RowsInMemory> in_memory(const NodePtr& x) {
  const std::optional<Layout> at = layout_in_memory(*x);
  if (!at) return std::nullopt;
  return RowsInMemory{x->is_computed() ? x : x->as<nodes::View>()->source, *at};
}

/// x's rows along `axes`, read forwards in the order of memory.
std::optional<RowsInMemory> rows_in_memory(const NodePtr& x, const Axes& axes) {
  std::optional<RowsInMemory> rows = in_memory(x);
  if (!rows || x->shape.rank() == max_rank) return std::nullopt;
  const auto stride = [&](int64_t axis) { return rows->at.strides[static_cast<size_t>(axis)]; };
  Axes order, along = axes;
  Shape shape;
  for (int axis = 0; axis < x->shape.rank(); ++axis)
    if (!axes.contains(axis)) order.push_back(axis), shape.push_back(x->shape[axis]);
  std::stable_sort(along.begin(), along.end(),
                   [&](int64_t a, int64_t b) { return std::abs(stride(a)) > std::abs(stride(b)); });
  int64_t length = 1;
  for (const int64_t axis : along) {
    order.push_back(axis);
    length *= x->shape[static_cast<int>(axis)];
    if (stride(axis) < 0) rows->at = layout::flip(rows->at, static_cast<int>(axis));
  }
  shape.push_back(length);
  const std::optional<Layout> merged = layout::reshape(layout::permute(rows->at, order), shape);
  if (!merged || merged->strides.back() != 1) return std::nullopt;
  rows->at = *merged;
  return rows;
}

/// A divisor of the row's length that is whole vectors, if there is one that is long enough.
int64_t part_of(int64_t length) {
  if (length % vector != 0) return longest_part;
  const int64_t whole = vector * largest_divisor(length / vector, longest_part / vector);
  return whole >= shortest_part ? whole : longest_part;
}

}  // namespace

std::optional<Layout> layout_in_memory(const Node& x) {
  if (x.is_computed()) return layout::contiguous(x.shape);
  const auto* view = x.as<nodes::View>();
  return view != nullptr && view->source->is_computed() ? std::optional(view->layout) : std::nullopt;
}

Extremes extremes_of_rows(const NodePtr& x, int axis) {
  const NodePtr largest = make_reduce(Reduction::max, x->dtype, x, {axis});
  const auto infinity = std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity());
  const NodePtr bound = make_constant(x->device, x->dtype, largest->shape, infinity);
  const NodePtr most = make_elementwise(Op::minimum, x->dtype, {largest, bound, nullptr});
  const Layout of_elements = layout::expand(layout::unsqueeze(layout::contiguous(most->shape), axis), x->shape);
  const NodePtr low = make_elementwise(Op::minimum, x->dtype, {x, view_of(most, of_elements), nullptr});
  return {most, make_reduce(Reduction::min, x->dtype, low, {axis})};
}

namespace {

/// In equal parts of a row, from the first whole vector on where there is one row, and what lies before and behind
/// them.
Extremes of_parts(const RowsInMemory& rows) {
  const int axis = rows.axis();
  const int64_t from = axis == 0 ? (vector - rows.at.offset % vector) % vector : 0;
  const int64_t part = part_of(rows.length() - from), count = (rows.length() - from) / part;
  Shape shape = rows.at.shape;
  shape[axis] = count;
  shape.push_back(part);
  const Layout head = layout::slice(rows.at, axis, from, count * part, 1);
  const Extremes parts = extremes_of_rows(view_of(rows.source, *layout::reshape(head, shape)), axis + 1);
  Extremes all{make_reduce(Reduction::max, parts.largest->dtype, parts.largest, {axis}),
               make_reduce(Reduction::min, parts.largest->dtype, parts.smallest, {axis})};
  const auto add = [&](int64_t first, int64_t last) {
    if (first == last) return;
    const Extremes rest = extremes_of_rows(rows.part(first, last - first), axis);
    all.largest = make_elementwise(Op::maximum, DType::f32, {all.largest, rest.largest, nullptr});
    all.smallest = make_elementwise(Op::minimum, DType::f32, {all.smallest, rest.smallest, nullptr});
  };
  add(0, from);
  add(from + count * part, rows.length());
  return all;
}

std::optional<Extremes> together(const nodes::Reduce& x, const DeviceLimits& device) {
  constexpr int64_t fewest_parts = 8;
  Axes axes = x.order.reduced;
  std::sort(axes.begin(), axes.end());
  if (has_rows_of_a_kernel(*x.arg, axes, device)) return std::nullopt;
  const std::optional<RowsInMemory> rows = rows_in_memory(x.arg, axes);
  if (!rows) return extremes_of_columns(x.arg, axes);
  if (rows->length() < fewest_parts * longest_part) return std::nullopt;
  return of_parts(*rows);
}

bool is_extreme(const Node& x, const DeviceLimits& device) {
  const auto* reduce = x.as<nodes::Reduce>();
  return reduce != nullptr && (reduce->reduction == Reduction::max || reduce->reduction == Reduction::min) &&
         reduce->arg->dtype == DType::f32 && reduce->arg->shape.elements() >= device.extremes_together;
}

bool is_other_of(const nodes::Reduce& a, const nodes::Reduce& b) {
  return a.arg == b.arg && a.order.reduced == b.order.reduced && a.reduction != b.reduction;
}

}  // namespace

std::vector<std::pair<NodePtr, nodes::Value>> extremes_together(const std::vector<NodePtr>& nodes,
                                                                const DeviceLimits& device) {
  if (device.extremes_together == 0 || !device.row_chains) return {};
  std::vector<NodePtr> extremes;
  for (const NodePtr& node : nodes)
    if (is_extreme(*node, device)) extremes.push_back(node);
  std::vector<std::pair<NodePtr, nodes::Value>> said;
  const auto is_said = [&](const NodePtr& node) {
    return std::ranges::any_of(said, [&](const auto& each) { return each.first == node; });
  };
  for (auto a = extremes.begin(); a != extremes.end(); ++a) {
    if (is_said(*a)) continue;
    const nodes::Reduce& one = *(*a)->as<nodes::Reduce>();
    const auto b = std::find_if(a + 1, extremes.end(), [&](const NodePtr& other) {
      return !is_said(other) && is_other_of(one, *other->as<nodes::Reduce>());
    });
    const std::optional<Extremes> both = b == extremes.end() ? std::nullopt : together(one, device);
    if (!both) continue;
    const bool largest_first = one.reduction == Reduction::max;
    said.emplace_back(*a, (largest_first ? both->largest : both->smallest)->value());
    said.emplace_back(*b, (largest_first ? both->smallest : both->largest)->value());
  }
  return said;
}

}  // namespace eglantine
