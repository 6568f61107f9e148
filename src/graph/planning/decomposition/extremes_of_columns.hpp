#pragma once

#include <optional>

#include "graph/node.hpp"

namespace eglantine {

/// The largest and the smallest element of each row, column or part.
struct Extremes {
  NodePtr largest, smallest;
};

/// Over x's shape, of what is in memory; nothing where x is to be computed.
std::optional<Layout> layout_in_memory(const Node& x);

/// Along one axis of x. One kernel takes a row's maximum m and the minimum of min(x, m), which is that of x. min(m,
/// infinity) is m, but not the reduction itself, which others would read from memory.
Extremes extremes_of_rows(const NodePtr& x, int axis);

/// Of x's columns along `axes`, which lie side by side in memory, without gaps where they are few. Nothing of other
/// layouts, and of short columns.
std::optional<Extremes> extremes_of_columns(const NodePtr& x, const Axes& axes);

}  // namespace eglantine
