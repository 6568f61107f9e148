#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"
#include "graph/graph_lock.hpp"
#include "graph/traversal.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/index/compaction.hpp"

namespace eglantine::derivatives {

namespace {

/// g's elements at the index, which is along an axis of the result.
Tensor gathered(const Tensor& g, const NodePtr& index, const nodes::Scatter& scatter) {
  return pend(make_gather({g.node(), index, scatter.axes, scatter.axis, scatter.check}));
}

/// Of several updates of one element, the last.
Tensor won(const Tensor& result, const NodePtr& index, const nodes::Scatter& scatter) {
  const Tensor number = verbs::iota(result.device(), scatter.updates->shape).astype(DType::i32);
  const Tensor none = zeros(result.shape(), DType::i32, result.device());
  nodes::Scatter last = scatter;
  last.base = none.node();
  last.updates = number.node();
  const Tensor there = pend(make_scatter(std::move(last), result.shape()));
  return gathered(there, index, scatter) == number;
}

/// Whether one element is read along each line of the source, in the order of the lines.
bool reads_one_of_each_line(const nodes::Gather& gather) {
  const Shape& shape = gather.source->shape;
  int line = 0;
  for (int i = 0; i < gather.axes.rank(); ++i) {
    if (gather.axes[i] < 0 && gather.index->shape[i] == 1) continue;
    line += line == gather.axis ? 1 : 0;
    if (gather.axes[i] != line || gather.index->shape[i] != shape[line]) return false;
    ++line;
  }
  return line + (line == gather.axis ? 1 : 0) == shape.rank();
}

bool is_of_elements(const Node& x) {
  return x.is_elementwise() || x.as<nodes::View>() || x.as<nodes::Remap>() || x.as<nodes::Reduce>() ||
         x.as<nodes::Composite>();
}

/// The floats in memory, of x's shape, of which a kernel of rows makes x; null where that is x itself, or nothing.
NodePtr in_memory_below(const NodePtr& x) {
  constexpr size_t most = 64;
  const GraphLock lock;
  std::vector<NodePtr> found{behind_views(x)};
  for (size_t i = 0; i < found.size() && found.size() < most; ++i) {
    const NodePtr node = found[i];
    if (!node->is_computed() && is_of_elements(*node))
      for_each_source(*node, [&](const NodePtr& source) { found.push_back(source); });
    else if (node->shape == x->shape && node->dtype == DType::f32 && !node->as<nodes::Constant>() &&
             !node->as<nodes::Iota>())
      return i > 0 ? node : nullptr;
  }
  return nullptr;
}

/// The place, made of an element that is gathered there, whichever, too: where the index is out of range, what is made
/// of the place fails. It takes no kernel where one of rows gathers the element.
Tensor checked(const Tensor& place, const nodes::Gather& gather, const Tensor& result) {
  nodes::Gather beside = gather;
  beside.source = in_memory_below(gather.source);
  const Tensor element = beside.source != nullptr ? pend(make_gather(std::move(beside))) : result;
  return where(isnan(element), place, place);
}

/// That element's place gets the cotangent: an expression, which fuses.
Tensor at_place(const nodes::Gather& gather, const Tensor& result, const Tensor& g) {
  const Shape& shape = gather.source->shape;
  Shape lines = shape, along = shape;
  lines[gather.axis] = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) along[axis] = axis == gather.axis ? shape[axis] : 1;
  const auto length = static_cast<int32_t>(shape[gather.axis]);
  const Tensor index(gather.index), places = verbs::iota(g.device(), along).astype(DType::i32);
  const Tensor from_start = where(index < 0, index + length, index);
  const Tensor place = gather.check != nullptr ? checked(from_start, gather, result) : from_start;
  return where(place.reshape(lines) == places, g.reshape(lines), 0);
}

}  // namespace

/// Each element gets what was read of it, every time.
void give_back(const nodes::Gather& gather, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (!to.wants(gather.source)) return;
  if (reads_one_of_each_line(gather)) return to.give(gather.source, at_place(gather, result, g));
  const Shape& shape = gather.source->shape;
  const Tensor none = zeros(shape, g.dtype(), g.device());
  nodes::Scatter back{none.node(),    gather.index, g.node(), gather.axes, gather.axis,
                      Reduction::sum, false,        false,    gather.check};
  if (!is_narrow(g.dtype())) return to.give(gather.source, pend(make_scatter(std::move(back), shape)));
  back.base = verbs::widened(none).node();
  back.updates = verbs::widened(g).node();
  to.give(gather.source, pend(make_scatter(std::move(back), shape)));
}

/// The base's elements that are replaced get nothing; an update what it became, if it did.
void give_back(const nodes::Scatter& scatter, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (scatter.ends) return give_back(verbs::by_places(scatter, result.size()), result, g, to);
  const bool adds = scatter.combine == Reduction::sum;
  if (scatter.combine && !adds) fail_without(to.function(), "what is combined at an index in another way than a sum");
  if (to.wants(scatter.base)) {
    nodes::Scatter hidden = scatter;
    hidden.base = g.node();
    hidden.updates = make_constant(g.node()->device, g.dtype(), scatter.updates->shape, 0);
    to.give(scatter.base, adds ? g : pend(make_scatter(std::move(hidden), g.shape())));
  }
  if (!to.wants(scatter.updates)) return;
  Tensor index(scatter.index), given;
  if (scatter.partial) {
    const Tensor inside = index < static_cast<int32_t>(result.shape()[scatter.axis]);
    given = where(inside, gathered(g, where(inside, index, 0).node(), scatter), 0);
  } else {
    given = gathered(g, scatter.index, scatter);
  }
  to.give(scatter.updates, adds || scatter.distinct ? given : where(won(result, scatter.index, scatter), given, 0));
}

/// As a sum at positions of the flattened source.
void give_back(const nodes::LoadAt& load, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (!to.wants(load.source)) return;
  const Shape& shape = load.source->shape;
  const Layout flat = layout::contiguous(shape);
  Layout own{result.shape(), {}, 0};  // along axes that no index is of
  for (int64_t axis : load.axes) own.strides.push_back(axis < 0 ? 0 : flat.strides[static_cast<size_t>(axis)]);
  const Tensor numbers = verbs::iota(g.device(), shape).astype(DType::i32);
  Tensor places = pend(make_view(numbers.node(), own));
  for (size_t k = 0; k < load.indices.size(); ++k) {
    const int64_t stride = flat.strides[static_cast<size_t>(load.indexed[static_cast<int>(k)])];
    places = places + Tensor(load.indices[k]) * static_cast<int32_t>(stride);
  }
  const Tensor none = zeros({shape.elements()}, DType::f32, g.device());
  to.give(load.source,
          scatter_add(none, 0, places.reshape({g.size()}), g.astype(DType::f32).reshape({g.size()})).reshape(shape));
}

}  // namespace eglantine::derivatives
