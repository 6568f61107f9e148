#include <algorithm>
#include <cstdlib>

#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"
#include "layout/collapse.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/movement/remap.hpp"

namespace eglantine::derivatives {

namespace {

/// A cotangent and the positions of a source that its elements belong to.
struct Placing {
  Tensor g;
  Layout at;
};

void drop_axis(Layout& x, int axis) {
  x.shape.erase(axis);
  x.strides.erase(x.strides.begin() + axis);
}

/// Sums what is broadcast, in one reduction, and drops axes of one element.
void drop_repeated(Placing& x) {
  Axes broadcast, single;
  for (int axis = x.at.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t stride = x.at.strides[static_cast<size_t>(axis)], length = x.at.shape[axis];
    if (length != 1 && stride != 0) continue;
    (length == 1 ? single : broadcast).push_back(axis);
    drop_axis(x.at, axis);
  }
  if (!broadcast.empty()) x.g = sum(x.g, broadcast, true);
  for (int64_t axis : broadcast) single.push_back(axis);
  if (!single.empty()) x.g = x.g.squeeze(single);
}

/// Without what is repeated; the other axes are turned and ordered so that strides fall.
Placing ordered(Placing placing) {
  drop_repeated(placing);
  Tensor& g = placing.g;
  Layout& at = placing.at;
  for (int axis = at.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t stride = at.strides[static_cast<size_t>(axis)], length = at.shape[axis];
    if (stride < 0) {
      g = g.flip(axis);
      at.offset += stride * (length - 1);
      at.strides[static_cast<size_t>(axis)] = -stride;
    }
  }
  Axes order;
  for (int axis = 0; axis < at.shape.rank(); ++axis) order.push_back(axis);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return at.strides[static_cast<size_t>(a)] > at.strides[static_cast<size_t>(b)];
  });
  return {g.permute(order), layout::permute(at, order)};
}

/// Whether two elements have one position. Strides fall.
bool overlaps(const Layout& at) {
  int64_t reached = 0;
  for (int axis = at.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t stride = at.strides[static_cast<size_t>(axis)];
    if (stride <= reached) return true;
    reached += stride * (at.shape[axis] - 1);
  }
  return false;
}

/// Places x's elements from `first` on along an axis of so many.
layout::AxisMap place(int64_t first, int64_t count, int64_t length) {
  return {length, first, first + count, {{first, 0, 1}}};
}

/// Of elements at equal distances, which no others lie between: zeros around them, which fuse.
Tensor as_padding(const Placing& placing, const Shape& source) {
  std::vector<Layout> at{placing.at};
  layout::collapse(at);
  std::vector<layout::AxisMap> maps;
  Shape lengths;
  int64_t above = source.elements(), offset = at[0].offset;
  const auto add = [&](int64_t count, int64_t stride) {
    const int64_t first = offset / stride, length = above / stride;
    const bool fits = above % stride == 0 && first + count <= length;
    maps.push_back(place(first, count, length));
    lengths.push_back(count);
    offset %= stride;
    above = stride;
    return fits;
  };
  for (int axis = 0; axis < at[0].shape.rank(); ++axis)
    if (!add(at[0].shape[axis], at[0].strides[static_cast<size_t>(axis)])) return {};
  if (above > 1) add(1, 1);
  return verbs::remapped(placing.g.reshape(lengths), std::move(maps)).reshape(source);
}

/// A source's zeros with the elements put, or where several have one position added, at theirs.
Tensor as_assembly(const Placing& placing, const Node& source) {
  const auto& [g, at] = placing;
  if (!overlaps(at))
    return pend(make_placement(source.shape, g.dtype(), source.device, {{g.node()}, {at}, uint32_t{0}}));
  const Tensor places = verbs::iota(g.device(), source.shape).astype(DType::i32);
  const Tensor at_each = pend(make_view(places.node(), at)).reshape({g.size()});
  return scatter_add(zeros({source.shape.elements()}, g.dtype(), g.device()), 0, at_each, g.reshape({g.size()}))
      .reshape(source.shape);
}

}  // namespace

/// The sum over what is broadcast, each at its element's position.
void give_back(const nodes::View& view, const Tensor&, const Tensor& g, Cotangents& to) {
  if (!to.wants(view.source)) return;
  if (view.boundary) return to.give(view.source, g);
  const Shape& shape = view.source->shape;
  const Placing placing = ordered({g, view.layout});
  const bool all = placing.at.offset == 0 && placing.at.is_contiguous() && placing.at.size() == shape.elements();
  if (all) return to.give(view.source, placing.g.reshape(shape));
  const Tensor padded = overlaps(placing.at) ? Tensor() : as_padding(placing, shape);
  to.give(view.source, padded.defined() ? padded : as_assembly(placing, *view.source));
}

namespace {

/// One axis of a remapped tensor's cotangent, back at the coordinates that its pieces show.
Tensor unmapped(const Tensor& g, int axis, const layout::AxisMap& map, int64_t length) {
  Tensor sum_of_pieces;
  for (size_t k = 0; k < map.pieces.size(); ++k) {
    const layout::LinearPiece& piece = map.pieces[k];
    const int64_t end = map.end_of(k), count = end - piece.start;
    Tensor part = g.slice(axis, piece.start, end);
    if (piece.step == 0) part = sum(part, axis, true);
    if (piece.step < 0) part = part.flip(axis);
    std::vector<layout::AxisMap> maps;
    for (int64_t each : part.shape()) maps.push_back(layout::identity(each));
    maps[static_cast<size_t>(axis)] =
        place(piece.step < 0 ? piece.first - count + 1 : piece.first, piece.step == 0 ? 1 : count, length);
    part = verbs::remapped(part, std::move(maps));
    sum_of_pieces = sum_of_pieces.defined() ? sum_of_pieces + part : part;
  }
  return sum_of_pieces;
}

}  // namespace

void give_back(const nodes::Remap& remap, const Tensor&, const Tensor& g, Cotangents& to) {
  if (!to.wants(remap.source)) return;
  Tensor back = g;
  for (size_t axis = 0; axis < remap.axes.size(); ++axis)
    if (!remap.axes[axis].is_identity())
      back = unmapped(back, static_cast<int>(axis), remap.axes[axis], remap.source->shape[static_cast<int>(axis)]);
  to.give(remap.source, back);
}

/// Each piece gets what lies at its region, but for what later pieces cover.
void give_back(const nodes::Placement& placement, const Tensor&, const Tensor& g, Cotangents& to) {
  int64_t covered = 0;
  for (const NodePtr& piece : placement.pieces) covered += piece->shape.elements();
  const bool apart = covered <= g.size() && !placement.fill;
  for (size_t i = 0; i < placement.pieces.size(); ++i) {
    if (!to.wants(placement.pieces[i])) continue;
    NodePtr left = g.node();
    if (!apart && i + 1 < placement.pieces.size()) {
      nodes::Placement hidden{{left}, {layout::contiguous(g.shape())}, {}};
      for (size_t later = i + 1; later < placement.pieces.size(); ++later) {
        hidden.pieces.push_back(make_constant(left->device, left->dtype, placement.pieces[later]->shape, 0));
        hidden.regions.push_back(placement.regions[later]);
      }
      left = pend(make_placement(g.shape(), left->dtype, left->device, std::move(hidden))).node();
    }
    to.give(placement.pieces[i], pend(make_view(left, placement.regions[i])));
  }
}

}  // namespace eglantine::derivatives
