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

/// Places x's elements from `first` on along an axis of so many.
layout::AxisMap place(int64_t first, int64_t count, int64_t length) {
  return {length, first, first + count, {{first, 0, 1}}};
}

}  // namespace

/// The sum over what is broadcast, each at its element's position.
void give_back(const nodes::View& view, const Tensor&, const Tensor& g, Cotangents& to) {
  if (!to.wants(view.source)) return;
  if (view.boundary) return to.give(view.source, g);
  const Shape& shape = view.source->shape;
  if (keeps_order(view)) return to.give(view.source, g.reshape(shape));
  const Placing placing = ordered({g, view.layout});
  const bool all = placing.at.offset == 0 && placing.at.is_contiguous() && placing.at.size() == shape.elements();
  all ? to.give(view.source, placing.g.reshape(shape)) : to.give_part(view.source, placing);
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
