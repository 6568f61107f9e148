#pragma once

#include <unordered_set>

#include "graph/node.hpp"

/// Values that are the same at all places of an axis, since all that they are computed from is broadcast along it.
namespace eglantine {

/// Whether x, of a few quick operations, is such a value.
bool repeats_along(const Node& x, int axis);

/// Whether it is along a long axis, and no materialized node is below it. In the kernels that read it what is made of
/// it may repeat, too: lowering then computes that once and copies it (lower/map/repeated.hpp), where in memory x would
/// be written and read at all places.
bool is_computed_once(const Node& x, const std::unordered_set<const Node*>& materialized);

}  // namespace eglantine
