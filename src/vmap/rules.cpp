#include <algorithm>

#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "layout/layout.hpp"
#include "verbs/movement/remap.hpp"
#include "verbs/own_rule.hpp"
#include "vmap/batch.hpp"
#include "vmap/index_rules.hpp"
#include "vmap/product_rules.hpp"

namespace eglantine::mapping {

namespace {

Axes behind(const Axes& axes) {
  Axes moved;
  for (int64_t axis : axes) moved.push_back(axis + 1);
  return moved;
}

NodePtr optional(const NodePtr& x, const Batch& batch) { return x ? batch.of(x).node() : nullptr; }

Tensor again(const nodes::View& x, const Node&, const Batch& batch) {
  const Tensor source = batch.of(x.source);
  if (!x.boundary) return pend(make_view(source.node(), batch.with_slices(x.layout, x.source->shape.elements())));
  // The traces of derivatives within the function have ended.
  const bool is_constant = !x.boundary->trace && !x.boundary->own;
  return is_constant ? verbs::as_constant(source) : source;
}

Tensor again(const nodes::Elementwise& x, const Node& node, const Batch& batch) {
  std::array<NodePtr, 3> args;
  for (size_t i = 0; i < args.size(); ++i) args[i] = optional(x.args[i], batch);
  return pend(make_elementwise(x.op, node.dtype, args));
}

Tensor again(const nodes::Custom& x, const Node&, const Batch& batch) {
  std::vector<NodePtr> args;
  for (const NodePtr& arg : x.args) args.push_back(batch.of(arg).node());
  return pend(make_custom(x.op, std::move(args)));
}

Tensor again(const nodes::Reduce& x, const Node& node, const Batch& batch) {
  const NodePtr arg = batch.of(x.arg).node();
  const Axes axes = behind(x.order.reduced);
  return pend(x.any_order ? make_sum_in_any_order(arg, axes)
                          : make_reduce(x.reduction, node.dtype, arg, axes, x.custom));
}

Tensor again(const nodes::Scan& x, const Node&, const Batch& batch) {
  return pend(make_scan({x.reduction, batch.of(x.arg).node(), x.axis + 1, x.exclusive, x.reverse, x.custom}));
}

Tensor again(const nodes::Tiles& x, const Node& node, const Batch& batch) {
  Shape tile{1};
  for (int64_t length : x.tile) tile.push_back(length);
  return pend(make_tiles({x.reduction, batch.of(x.arg).node(), tile, x.custom}, batch.with_slices(node.shape)));
}

Tensor again(const nodes::Sort& x, const Node& node, const Batch& batch) {
  return pend(
      make_sort({batch.of(x.keys).node(), optional(x.payload, batch), x.axis + 1, x.descending, x.wanted, x.read},
                batch.with_slices(node.shape), node.dtype));
}

Tensor again(const nodes::SecondOutput& x, const Node& node, const Batch& batch) {
  const NodePtr first = batch.of(x.first).node();
  if (const auto* gradient = first->as<nodes::AttentionGradient>()) return of_second(*gradient, first, batch.slices());
  return pend(first->shape.rank() == node.shape.rank() + 1 ? make_second_output(first, node.dtype)
                                                           : make_logsumexp(first, batch.with_slices(node.shape)));
}

Tensor again(const nodes::Remap& x, const Node&, const Batch& batch) {
  std::vector<layout::AxisMap> axes{layout::identity(batch.slices())};
  axes.insert(axes.end(), x.axes.begin(), x.axes.end());
  return verbs::remapped(batch.of(x.source), std::move(axes), x.fill);
}

Tensor again(const nodes::Placement& x, const Node& node, const Batch& batch) {
  nodes::Placement placement{{}, {}, x.fill};
  for (size_t i = 0; i < x.pieces.size(); ++i) {
    placement.pieces.push_back(batch.of(x.pieces[i]).node());
    placement.regions.push_back(batch.with_slices(x.regions[i], node.shape.elements()));
  }
  return pend(make_placement(batch.with_slices(node.shape), node.dtype, node.device, std::move(placement)));
}

/// Made from nothing, or from what no trace goes through: the same in each slice.
template <class Source>
requires std::is_same_v<Source, nodes::Leaf> || std::is_same_v<Source, nodes::Constant> ||
    std::is_same_v<Source, nodes::Iota> || std::is_same_v<Source, nodes::Stencil> ||
    std::is_same_v<Source, nodes::Composite>
        Tensor again(const Source&, const Node&, const Batch&) {
  return {};
}

}  // namespace

Tensor batched(const NodePtr& x, const nodes::Value& origin, const Batch& batch) {
  const Tensor all = std::visit([&](const auto& value) { return again(value, *x, batch); }, origin);
  return all.defined() ? all : batch.of(x);
}

}  // namespace eglantine::mapping
