#include "vmap/index_rules.hpp"

#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "graph/kernel/kernel.hpp"
#include "verbs/index/compaction.hpp"

namespace eglantine::mapping {

namespace {

/// The axes of what is indexed, of which the slices are the first where it varies.
IntList axes_of(const IntList& axes, bool varies) {
  IntList result{varies ? 0 : -1};
  for (int64_t axis : axes) result.push_back(varies && axis >= 0 ? axis + 1 : axis);
  return result;
}

/// For errors: an index that varies is named with its slice, one that does not by its own place.
IndexCheckPtr check_of(const IndexCheckPtr& check, bool varies, const Batch& batch) {
  if (!check) return nullptr;
  IndexCheck all = *check;
  all.place = batch.with_slices(check->place, varies ? check->indices.elements() : 0);
  if (varies) all.indices = batch.with_slices(check->indices);
  return std::make_shared<const IndexCheck>(std::move(all));
}

}  // namespace

Tensor again(const nodes::Gather& x, const Node&, const Batch& batch) {
  const bool varies = batch.varies(x.source);
  return pend(make_gather({batch.where_varied(x.source).node(), batch.of(x.index).node(), axes_of(x.axes, varies),
                           x.axis + (varies ? 1 : 0), check_of(x.check, batch.varies(x.index), batch), x.lookup}));
}

Tensor again(const nodes::Scatter& x, const Node& node, const Batch& batch) {
  if (x.ends) return again(verbs::by_places(x, node.shape.elements()), node, batch);
  return pend(make_scatter({x.base ? batch.of(x.base).node() : nullptr, batch.of(x.index).node(),
                            batch.of(x.updates).node(), axes_of(x.axes, true), x.axis + 1, x.combine, x.distinct,
                            x.partial, check_of(x.check, batch.varies(x.index), batch)},
                           batch.with_slices(node.shape)));
}

Tensor again(const nodes::LoadAt& x, const Node&, const Batch& batch) {
  const bool varies = batch.varies(x.source);
  nodes::LoadAt load{batch.where_varied(x.source).node(), {}, {}, axes_of(x.axes, varies)};
  for (const NodePtr& index : x.indices) load.indices.push_back(batch.of(index).node());
  for (int64_t axis : x.indexed) load.indexed.push_back(axis + (varies ? 1 : 0));
  return pend(make_load_at(std::move(load)));
}

}  // namespace eglantine::mapping
