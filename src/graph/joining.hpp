#pragma once

#include <unordered_map>

#include "graph/ownership.hpp"

namespace eglantine {

/// The place of each node in Ownership::order.
using Places = std::unordered_map<const Node*, size_t>;

/// Whether a view shows all of its source in the source's order.
bool keeps_order(const nodes::View& view);

/// Whether the kernel of `owner`, an element-wise node, may compute x as well: it reads x in its own order alone, and
/// nothing that it needs waits for x. What comes after x in the order has its place in `known`. Under graph_mutex().
bool can_join(const Node& x, const Node& owner, const Ownership& known, const Places& places);

}  // namespace eglantine
