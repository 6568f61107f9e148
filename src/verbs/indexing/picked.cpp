#include "verbs/indexing/picked.hpp"

#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"
#include "verbs/index/joined.hpp"

namespace eglantine::verbs {

namespace {

/// The picked axes in order, then the others.
Axes picked_first(const Selection& selection) {
  Axes order;
  for (const TensorIndex& each : selection.tensors) order.push_back(each.axis);
  for (int i = 0; i < selection.view.shape.rank(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
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

/// Row-major numbers of the places' elements over the result's shape, on which the other axes have no bearing.
Layout numbered(const Selection& selection) {
  const Shape result = selection.result();
  const Layout places = layout::contiguous(selection.places());
  Layout at{result, std::vector<int64_t>(static_cast<size_t>(result.rank()), 0), 0};
  std::copy(places.strides.begin(), places.strides.end(), at.strides.begin() + selection.at);
  return at;
}

IndexCheck check_of(std::string_view function, const Tensor& x, const Selection& selection) {
  IndexCheck check{std::string(function), x.shape(), 0, selection.places(), numbered(selection), {}};
  if (selection.tensors.size() == 1 && selection.tensors[0].source_axis < 0) check.shape = {1};
  if (selection.tensors.size() == 1) check.axis = std::max(0, selection.tensors[0].source_axis);
  if (selection.tensors.size() > 1)
    for (const TensorIndex& each : selection.tensors) check.together.push_back(each.source_axis);
  return check;
}

/// start + the sum of places * strides, over the selection's result.
Tensor combined(const Selection& selection, const std::vector<int64_t>& strides, Tensor start) {
  const Shape lengths = picked_axes(selection);
  std::vector<AxisIndex> along;
  for (int i = 0; i < lengths.rank(); ++i) {
    const Tensor& places = selection.tensors[static_cast<size_t>(i)].places;
    along.push_back(
        {Tensor(make_view(places.node(), numbered(selection))), lengths[i], strides[static_cast<size_t>(i)]});
  }
  return joined_index(along, std::move(start));
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
  const Tensor flat = Tensor(at->source).reshape({at->source->shape.elements()});
  Tensor rest = number(static_cast<int32_t>(at->layout.offset), selection.result(), x);
  const Axes order = picked_first(selection);
  const int picked = static_cast<int>(selection.tensors.size()), places = selection.places().rank();
  std::vector<int64_t> strides;
  for (int i = 0; i < order.rank(); ++i) {
    const int64_t stride = at->layout.strides[static_cast<size_t>(order[i])];
    if (i < picked) strides.push_back(stride);
    if (i < picked || stride == 0) continue;
    const int axis = i - picked < selection.at ? i - picked : i - picked + places;
    Shape along = rest.shape();
    for (int j = 0; j < along.rank(); ++j)
      if (j != axis) along[j] = 1;
    const Tensor coordinate = arange(0, static_cast<double>(along[axis]), 1, DType::i32, x.device()).reshape(along);
    rest = rest + coordinate * static_cast<int32_t>(stride);
  }
  Picked result{flat, 0, {}, {}, {}, check_of(function, x, selection)};
  result.places = combined(selection, strides, rest);
  result.index = result.places.node();
  for (int i = 0; i < rest.rank(); ++i) result.axes.push_back(-1);
  return result;
}

Tensor as_selected(const Tensor& base, const Selection& selection) {
  if (selection.tensors.size() == 1) return base;
  const Axes order = picked_first(selection);
  Shape apart;
  Axes back = order;
  for (int i = 0; i < order.rank(); ++i) {
    apart.push_back(selection.view.shape[static_cast<int>(order[i])]);
    back[static_cast<int>(order[i])] = i;
  }
  return base.reshape(apart).permute(back);
}

}  // namespace eglantine::verbs
