#pragma once

#include <unordered_set>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// An axis in two: the outer one, and one of length `inner` behind it.
struct AxisSplit {
  int axis;
  int64_t inner;
};

Layout split_axis(Layout x, const AxisSplit& split);

/// The splits of a domain's axes, one after the other, that let x be written at positions `at` with the views that fuse
/// into it read in place: a row of 4096 elements made of blocks of 32 becomes 128 x 32, over which a block's scale has
/// strides. Views that no split helps are left; so are those above max_rank axes. self: the materialized node that is
/// being computed.
std::vector<AxisSplit> view_splits(const Node& x, Layout at, const std::unordered_set<const Node*>& materialized,
                                   const Node* self = nullptr);

}  // namespace eglantine
