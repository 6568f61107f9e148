#pragma once

#include <optional>

#include "verbs/build.hpp"

namespace eglantine::verbs {

/// gathered(), with the result in the order in which x lies in memory, of which what is returned is a view: of an x
/// that lies in another order than its axes', and an index that is the same along all axes but the indexed one's, both
/// are accessed side by side then. Nothing elsewhere. axis, index, axes: as of nodes::Gather.
std::optional<Tensor> gathered_in_memory_order(const Tensor& x, int axis, const NodePtr& index, const IntList& axes,
                                               const IndexCheck& check);

/// What is read of x, as nodes::Gather's.
struct Source {
  NodePtr node;
  int axis;
  IntList axes;
};

/// Of an expression that lies in another order than x, which shows all of it (in_memory_order()): the expression
/// itself, with its axes. Nothing for another x.
std::optional<Source> source_in_order(const Tensor& x, int axis, const IntList& axes);

}  // namespace eglantine::verbs
