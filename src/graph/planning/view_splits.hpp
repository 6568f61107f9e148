#pragma once

#include <vector>

#include "graph/node.hpp"
#include "graph/planning/ownership/ownership.hpp"

namespace eglantine {

struct RowDomain;

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
std::vector<AxisSplit> view_splits(const Node& x, Layout at, const Ownership& owners, const Node* self = nullptr);

/// Splits a row kernel's axes so for x, a result of the kernel of `self`, and what its folds are of: for views that
/// show some element more than once, such as a weight of each channel.
void split_at_views(RowDomain& rows, const Node& x, const Ownership& owners, const Node& self);

}  // namespace eglantine
