#include "graph/planning/recomputation/rolled_reads.hpp"

#include <algorithm>

#include "graph/planning/recomputation/cheap_stencils.hpp"

namespace eglantine {

void RolledReads::pass(const Node& x) {
  if (const uint32_t axes = axes_of(x); axes != 0)
    for_each_source(x, [&](const NodePtr& source) { note(*source, axes); });
}

void RolledReads::pass_view(const Node& x, const nodes::View& view) {
  // In as many places as a window has, which count as one reading.
  if (view.source->as<nodes::Remap>() || is_viewed(x)) viewed_.insert(view.source.get());
  // It may name the axes otherwise.
  if (axes_of(x) != 0) note(*view.source, ~uint32_t{0});
}

void RolledReads::pass_remap(const Node& x, const nodes::Remap& remap, bool stored) {
  if (!stored && is_viewed(x)) viewed_.insert(remap.source.get());
  note(*remap.source, rolled_axes(remap) | (stored ? 0 : axes_of(x)));
}

bool RolledReads::are_of_stencil(const Node& x, const Uses& uses, const Ownership& owners,
                                 const std::unordered_set<const Node*>& forced) const {
  const auto is_by_map = [&](const Read& read) {
    const Node& map = *read.kernel;
    return map.is_elementwise() && map.shape.elements() == x.shape.elements() && !read.as_piece &&
           owners.accumulator_of.count(&map) == 0 && owners.rows_at(map) == nullptr;
  };
  const uint32_t axes = axes_of(x);
  if (axes == 0 || is_viewed(x) || x.shape.elements() == 0 || uses.kept || !std::ranges::all_of(uses.reads, is_by_map))
    return false;
  return is_stencil_of_cheap(x, static_cast<int64_t>(uses.reads.size()), axes, owners.materialized, forced);
}

uint32_t RolledReads::axes_of(const Node& x) const {
  const auto known = rolled_.find(&x);
  return known == rolled_.end() ? 0 : known->second;
}

void RolledReads::note(const Node& x, uint32_t axes) {
  if (axes != 0) rolled_[&x] |= axes;
}

}  // namespace eglantine
