#include "verbs/indexing/picked.hpp"

#include <limits>

#include "graph/graph_lock.hpp"
#include "graph/index_check.hpp"
#include "layout/layout.hpp"

namespace eglantine::verbs {

namespace {

/// Numbers along joined axes stay clear of those that say what lies outside (outside_of).
constexpr int64_t most = std::numeric_limits<int32_t>::max() - max_rank;

/// The picked axes in order, then the others.
Axes picked_first(const Selection& selection) {
  Axes order;
  for (const TensorIndex& each : selection.tensors) order.push_back(each.axis);
  for (int i = 0; i < selection.view.shape.rank(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  return order;
}

int64_t picked_count(const Selection& selection) {
  int64_t count = 1;
  for (const TensorIndex& each : selection.tensors)
    if (__builtin_mul_overflow(count, selection.view.shape[each.axis], &count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

/// (picked axes as one, the others).
Shape joined_shape(const Selection& selection) {
  Shape shape{picked_count(selection)};
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

/// The sum of places * strides, counted from the front, plus `rest`. Where one lies outside its axis it is one of the
/// numbers that say which (IndexCheck::together): no index along the joined axes is as small.
Tensor combined(const Selection& selection, const std::vector<int64_t>& strides, Tensor rest) {
  const Shape& lengths = selection.view.shape;
  std::vector<Tensor> outside;
  for (size_t i = 0; i < selection.tensors.size(); ++i) {
    const TensorIndex& each = selection.tensors[i];
    const auto length = static_cast<int32_t>(lengths[each.axis]);
    const Tensor places = Tensor(make_view(each.places.node(), numbered(selection)));
    const Tensor front = where(places < 0, places + length, places);
    outside.push_back(front.astype(DType::u32) >= static_cast<uint32_t>(length));
    rest = rest + front * static_cast<int32_t>(strides[i]);
  }
  for (size_t i = outside.size(); i-- > 0;) rest = where(outside[i], outside_of(static_cast<int>(i)), rest);
  return rest;
}

Tensor number(int32_t value, const Shape& shape, const Tensor& x) { return full(shape, value, DType::i32, x.device()); }

/// The index over the places' own shape.
Selection of_places(const Selection& selection) {
  Selection result = selection;
  Layout view{{}, {}, 0};
  for (TensorIndex& each : result.tensors) {
    view.shape.push_back(selection.view.shape[each.axis]);
    view.strides.push_back(0);
    each.axis = view.shape.rank() - 1;
  }
  result.view = view;
  result.at = 0;
  return result;
}

std::vector<int64_t> joined_strides(const Selection& selection) {
  std::vector<int64_t> strides(selection.tensors.size(), 1);
  for (size_t i = strides.size() - 1; i-- > 0;)
    strides[i] = strides[i + 1] * selection.view.shape[selection.tensors[i + 1].axis];
  return strides;
}

}  // namespace

bool joins(const Tensor& x, const Selection& selection) {
  if (selection.tensors.size() == 1 || picked_count(selection) > most) return true;
  const Tensor y = selected(x, selection).permute(picked_first(selection));
  const GraphLock lock;
  return layout::reshape(placed(y.node()).layout, joined_shape(selection)).has_value();
}

Picked picked(std::string_view function, const Tensor& x, const Selection& selection) {
  const Tensor y = selected(x, selection);
  const bool one = selection.tensors.size() == 1;
  if (!one && picked_count(selection) > most)
    check::fail<ShapeError>(function, "the indexed axes of ", to_string(x.shape()),
                            " together are longer than i32 indices reach, 2^31 - 9; work on slices of it");
  Picked result{one ? y : y.permute(picked_first(selection)).reshape(joined_shape(selection)),
                one ? selection.tensors[0].axis : 0,
                {},
                {},
                {},
                check_of(function, x, selection)};
  const Selection alone = of_places(selection);
  result.places =
      one ? selection.tensors[0].places : combined(alone, joined_strides(selection), number(0, selection.places(), x));
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
  if (at->source->shape.elements() > most || at->source->as<nodes::Constant>() != nullptr) return std::nullopt;
  const Tensor flat = Tensor(at->source).reshape({at->source->shape.elements()});
  Tensor rest = number(static_cast<int32_t>(at->layout.offset), selection.result(), x);
  const Axes order = picked_first(selection);
  const int picked_axes = static_cast<int>(selection.tensors.size()), places = selection.places().rank();
  std::vector<int64_t> strides;
  for (int i = 0; i < order.rank(); ++i) {
    const int64_t stride = at->layout.strides[static_cast<size_t>(order[i])];
    if (i < picked_axes) strides.push_back(stride);
    if (i < picked_axes || stride == 0) continue;
    const int axis = i - picked_axes < selection.at ? i - picked_axes : i - picked_axes + places;
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
