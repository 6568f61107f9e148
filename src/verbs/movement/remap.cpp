#include "verbs/movement/remap.hpp"

#include <algorithm>

#include "layout/layout.hpp"
#include "layout/permutation.hpp"
#include "verbs/build.hpp"
#include "verbs/reduce/memory_order.hpp"

namespace eglantine::verbs {

namespace {

/// What one combination of pieces puts where.
struct Part {
  Layout region;  ///< of the result
  Layout source;  ///< positions in x
};

/// Adds the parts that `part` and the pieces of the axes from `axis` on make.
void add_parts(const std::vector<layout::AxisMap>& axes, size_t axis, const Part& part, std::vector<Part>& parts) {
  if (axis == axes.size()) return parts.push_back(part);
  const layout::AxisMap& map = axes[axis];
  const int along = static_cast<int>(axis);
  for (size_t k = 0; k < map.pieces.size(); ++k) {
    const layout::LinearPiece& piece = map.pieces[k];
    const int64_t count = map.end_of(k) - piece.start;
    const Part next{layout::slice(part.region, along, piece.start, count, 1),
                    layout::slice(part.source, along, piece.first, count, piece.step)};
    add_parts(axes, axis + 1, next, parts);
  }
}

std::vector<layout::AxisMap> permuted(const std::vector<layout::AxisMap>& axes, const Axes& order) {
  std::vector<layout::AxisMap> result;
  for (const int64_t axis : order) result.push_back(axes[static_cast<size_t>(axis)]);
  return result;
}

}  // namespace

Tensor remapped(const Tensor& x, std::vector<layout::AxisMap> axes, uint32_t fill) {
  const auto is_identity = [](const layout::AxisMap& axis) { return axis.is_identity(); };
  if (std::all_of(axes.begin(), axes.end(), is_identity)) return x;
  // What is read of a transposed tensor lies as that does: its kernel neither reads nor writes across memory.
  if (const std::optional<Axes> order = x.node()->is_traced() ? std::nullopt : order_in_memory(x))
    return remapped(x.permute(*order), permuted(axes, *order), fill).permute(layout::inverse_of(*order));
  const bool counted = std::all_of(axes.begin(), axes.end(), layout::is_counted);
  return counted ? pend(make_remap(x.node(), std::move(axes), fill)) : placed(x, axes, fill);
}

Tensor placed(const Tensor& x, const std::vector<layout::AxisMap>& axes, uint32_t fill) {
  Shape shape;
  for (const layout::AxisMap& axis : axes) shape.push_back(axis.length);
  std::vector<Part> parts;
  add_parts(axes, 0, {layout::contiguous(shape), layout::contiguous(x.shape())}, parts);
  nodes::Placement placement;
  for (const Part& part : parts) {
    placement.pieces.push_back(make_view(x.node(), part.source));
    placement.regions.push_back(part.region);
  }
  if (!layout::are_total(axes)) placement.fill = fill;
  return pend(make_placement(shape, x.dtype(), x.node()->device, std::move(placement)));
}

}  // namespace eglantine::verbs
