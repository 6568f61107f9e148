#include "verbs/indexing/picked.hpp"

#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"
#include "verbs/index/joined.hpp"

namespace eglantine::verbs {

namespace {

/// The picked axes in order, then the others.
Axes picked_first(const Selection& selection) {
  Axes order;
  for (const TensorIndex& each : selection.tensors) order.push_back(each.axis);
  for (int i = 0; i < selection.view.shape.rank(); ++i)
    if (!order.contains(i)) order.push_back(i);
  return order;
}

Shape picked_axes(const Selection& selection) {
  Shape lengths;
  for (const TensorIndex& each : selection.tensors) lengths.push_back(selection.view.shape[each.axis]);
  return lengths;
}

/// (picked axes as one, the others).
Shape joined_shape(const Selection& selection) {
  Shape shape{picked_axes(selection).elements()};
  for (int64_t length : selection.rest()) shape.push_back(length);
  return shape;
}

Layout numbered(const Selection& selection) {
  return verbs::numbered(selection.result(), selection.places(), selection.at);
}

IntList source_axes(const Selection& selection) {
  IntList axes;
  for (const TensorIndex& each : selection.tensors) axes.push_back(each.source_axis);
  return axes;
}

IndexCheck check_of(std::string_view function, const Tensor& x, const Selection& selection) {
  return joint_check(function, x.shape(), source_axes(selection), selection.places(), numbered(selection));
}

/// start + the sum of places * strides, over the selection's result.
Tensor combined(const Selection& selection, const std::vector<int64_t>& strides, const Tensor& start) {
  const Shape lengths = picked_axes(selection);
  std::vector<AxisIndex> along;
  for (int i = 0; i < lengths.rank(); ++i) {
    const Tensor& places = selection.tensors[static_cast<size_t>(i)].places;
    along.push_back(
        {Tensor(make_view(places.node(), numbered(selection))), lengths[i], strides[static_cast<size_t>(i)]});
  }
  return joined_index(along, start);
}

Tensor number(int32_t value, const Shape& shape, const Tensor& x) { return full(shape, value, DType::i32, x.device()); }

/// The index over the places' own shape.
Selection of_places(const Selection& selection) {
  Selection result = selection;
  result.view = layout::contiguous(picked_axes(selection));
  for (size_t i = 0; i < result.tensors.size(); ++i) result.tensors[i].axis = static_cast<int>(i);
  result.at = 0;
  return result;
}

/// The offset, and for each of the result's elements what the axes that no tensor indexes add to it.
Tensor rest_of(const Selection& selection, const Layout& at, const Tensor& x) {
  Tensor rest = number(static_cast<int32_t>(at.offset), selection.result(), x);
  const Axes order = picked_first(selection);
  const int picked = static_cast<int>(selection.tensors.size());
  for (int i = picked; i < order.rank(); ++i) {
    const int64_t stride = at.strides[static_cast<size_t>(order[i])];
    if (stride == 0) continue;
    const int axis = i - picked < selection.at ? i - picked : i - picked + selection.places().rank();
    Shape along(std::vector<int64_t>(static_cast<size_t>(rest.rank()), 1));
    along[axis] = rest.shape()[axis];
    rest = rest + iota(x.device(), along).astype(DType::i32) * static_cast<int32_t>(stride);
  }
  return rest;
}

/// The selection of x, which lies so in the elements of `source`, as an index for each element of its result.
Picked picked_in(const Tensor& source, const Layout& at, std::string_view function, const Tensor& x,
                 const Selection& selection) {
  Picked result{source.reshape({source.size()}), 0, {}, {}, {}, check_of(function, x, selection)};
  result.check.together = source_axes(selection);
  std::vector<int64_t> strides;
  for (const TensorIndex& each : selection.tensors) strides.push_back(at.strides[static_cast<size_t>(each.axis)]);
  result.places = combined(selection, strides, rest_of(selection, at, x));
  result.index = result.places.node();
  for (int i = 0; i < result.index->shape.rank(); ++i) result.axes.push_back(-1);
  return result;
}

}  // namespace

bool joins(const Tensor& x, const Selection& selection) {
  if (selection.tensors.size() == 1 || !joinable(picked_axes(selection))) return true;
  const Tensor y = selected(x, selection).permute(picked_first(selection));
  const GraphLock lock;
  return layout::reshape(placed(y.node()).layout, joined_shape(selection)).has_value();
}

Picked picked(std::string_view function, const Tensor& x, const Selection& selection) {
  const Tensor y = selected(x, selection);
  const bool one = selection.tensors.size() == 1;
  if (!one) require_joinable(function, x, picked_axes(selection));
  Picked result{one ? y : y.permute(picked_first(selection)).reshape(joined_shape(selection)),
                one ? selection.tensors[0].axis : 0,
                {},
                {},
                {},
                check_of(function, x, selection)};
  const Selection alone = of_places(selection);
  result.places =
      one ? selection.tensors[0].places : combined(alone, alone.view.strides, number(0, selection.places(), x));
  result.index = make_view(result.places.node(), numbered(selection));
  int from = 0;  // the next axis of the base that no tensor indexes
  const Shape shape = selection.result();
  for (int i = 0; i < shape.rank(); ++i) {
    const bool is_place = i >= selection.at && i < selection.at + selection.places().rank();
    if (!is_place && from == result.axis) ++from;
    result.axes.push_back(is_place ? -1 : from++);
  }
  return result;
}

std::optional<Picked> picked_in_place(std::string_view function, const Tensor& x, const Selection& selection) {
  const Tensor y = selected(x, selection);
  std::optional<Placed> at;
  {
    const GraphLock lock;
    at = placed(y.node());
  }
  if (at->source->shape.elements() > most_joined || at->source->as<nodes::Constant>() != nullptr) return std::nullopt;
  return picked_in(Tensor(at->source), at->layout, function, x, selection);
}

std::optional<Picked> picked_in_all(std::string_view function, const Tensor& x, const Selection& selection) {
  if (x.size() > most_joined) return std::nullopt;
  return picked_in(x, selection.view, function, x, selection);
}

Tensor as_selected(const Tensor& base, const Selection& selection) {
  if (selection.tensors.size() == 1) return base;
  const Axes order = picked_first(selection);
  Shape apart;
  for (const int64_t axis : order) apart.push_back(selection.view.shape[static_cast<int>(axis)]);
  return base.reshape(apart).permute(layout::inverse_of(order));
}

}  // namespace eglantine::verbs
