#include "grad/parts.hpp"

#include <algorithm>

#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "layout/collapse.hpp"
#include "verbs/build.hpp"
#include "verbs/movement/remap.hpp"

namespace eglantine::derivatives {

namespace {

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
  const bool drops_others = !single.empty();
  if (!broadcast.empty()) x.g = sum(x.g, broadcast, drops_others);
  if (!drops_others) return;
  for (int64_t axis : broadcast) single.push_back(axis);
  x.g = x.g.squeeze(single);
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
    maps.push_back({length, first, first + count, {{first, 0, 1}}});
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

/// How far apart elements of axes from `axis` on are at most.
int64_t reach_from(const Layout& at, size_t axis) {
  int64_t reach = 0;
  for (size_t i = axis; i < at.strides.size(); ++i) reach += at.strides[i] * (at.shape[static_cast<int>(i)] - 1);
  return reach;
}

/// Whether the axes from `axis` on have an element of x so far behind one of y.
bool meet(const Layout& x, const Layout& y, size_t axis, int64_t apart) {
  if (axis == x.strides.size()) return apart == 0;
  const int64_t stride = x.strides[axis], least = apart / stride - (apart % stride < 0 ? 1 : 0);
  const int length_at = static_cast<int>(axis);
  for (const int64_t steps : {least, least + 1}) {
    const int64_t left = apart - steps * stride;
    if (steps > -y.shape[length_at] && steps < x.shape[length_at] && left <= reach_from(x, axis + 1) &&
        left >= -reach_from(y, axis + 1) && meet(x, y, axis + 1, left))
      return true;
  }
  return false;
}

Tensor padded(const Placing& part, const Node& source) {
  const Tensor padding = overlaps(part.at) ? Tensor() : as_padding(part, source.shape);
  return padding.defined() ? padding : as_assembly(part, source);
}

/// Whether the parts are all of so many elements, and none has another's. Each two are compared: of very many it says
/// no.
bool cover(const std::vector<Placing>& parts, int64_t elements) {
  constexpr size_t most = 512;
  if (parts.size() > most) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (overlaps(parts[i].at)) return false;
    for (size_t j = 0; j < i; ++j)
      if (may_meet(parts[i].at, parts[j].at)) return false;
    elements -= parts[i].at.size();
  }
  return elements == 0;
}

/// The same, of so many parts that they are worth copying: the zeros of few fuse into what reads the sum. q, k and v
/// side by side, which were copied there, took a step of GPT 6 x 384 250 MiB more and saved it 0.3 %.
bool worth_copying(const std::vector<Placing>& parts, int64_t elements) {
  constexpr size_t fewest = 4;
  return parts.size() >= fewest && cover(parts, elements);
}

/// The tensor that all parts are views of, each of its own place in the source, where they cover it; or null.
NodePtr undivided(const std::vector<Placing>& parts, const Node& source) {
  NodePtr whole;
  for (const Placing& part : parts) {
    const auto* view = part.g.node()->as<nodes::View>();
    if (view == nullptr || view->boundary || (whole && whole != view->source)) return nullptr;
    whole = view->source;
    if (!layout::same(view->layout, part.at)) return nullptr;
  }
  const int64_t elements = source.shape.elements();
  return whole->shape.elements() == elements && cover(parts, elements) ? whole : nullptr;
}

}  // namespace

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
  const auto further = [&](int64_t a, int64_t b) {
    return at.strides[static_cast<size_t>(a)] > at.strides[static_cast<size_t>(b)];
  };
  if (std::is_sorted(order.begin(), order.end(), further)) return placing;
  std::stable_sort(order.begin(), order.end(), further);
  return {g.permute(order), layout::permute(at, order)};
}

bool overlaps(const Layout& at) {
  int64_t reached = 0;
  for (int axis = at.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t stride = at.strides[static_cast<size_t>(axis)];
    if (stride <= reached) return true;
    reached += stride * (at.shape[axis] - 1);
  }
  return false;
}

bool may_meet(const Layout& x, const Layout& y) { return x.strides != y.strides || meet(x, y, 0, y.offset - x.offset); }

Tensor joined(const std::vector<Placing>& parts, const Node& source) {
  if (const NodePtr whole = undivided(parts, source)) return Tensor(whole).reshape(source.shape);
  if (worth_copying(parts, source.shape.elements())) {
    nodes::Placement whole;
    for (const Placing& part : parts) {
      whole.pieces.push_back(part.g.node());
      whole.regions.push_back(part.at);
    }
    return pend(make_placement(source.shape, parts.front().g.dtype(), source.device, std::move(whole)));
  }
  Tensor sum = padded(parts.front(), source);
  for (size_t i = 1; i < parts.size(); ++i) sum = sum + padded(parts[i], source);
  return sum;
}

}  // namespace eglantine::derivatives
