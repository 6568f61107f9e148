#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"
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

/// Whether one element is read along each line of the source.
bool reads_one_of_each_line(const nodes::Gather& gather) {
  int kept = 0;
  for (int i = 0; i < gather.axes.rank(); ++i, ++kept) {
    kept += kept == gather.axis ? 1 : 0;
    if (gather.axes[i] != kept || gather.index->shape[i] != gather.source->shape[kept]) return false;
  }
  return gather.axes.rank() + 1 == gather.source->shape.rank();
}

/// That element's place gets the cotangent: an expression, which fuses.
Tensor at_place(const nodes::Gather& gather, const Tensor& g) {
  const Shape& shape = gather.source->shape;
  Shape along = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) along[axis] = axis == gather.axis ? shape[axis] : 1;
  const auto length = static_cast<int32_t>(shape[gather.axis]);
  const Tensor index(gather.index), places = verbs::iota(g.device(), along).astype(DType::i32);
  const Tensor place = where(index < 0, index + length, index);
  return where(place.unsqueeze(gather.axis) == places, g.unsqueeze(gather.axis), 0);
}

}  // namespace

/// Each element gets what was read of it, every time.
void give_back(const nodes::Gather& gather, const Tensor&, const Tensor& g, Cotangents& to) {
  if (!to.wants(gather.source)) return;
  if (reads_one_of_each_line(gather)) return to.give(gather.source, at_place(gather, g));
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
