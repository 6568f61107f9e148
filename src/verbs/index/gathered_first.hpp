#pragma once

#include <functional>
#include <optional>

#include "verbs/build.hpp"

namespace eglantine::verbs {

/// Elements of a tensor in memory, read by one index: axes, axis as nodes::Gather's.
using GatherElements = std::function<Tensor(const NodePtr& from, const IntList& axes, int axis)>;

/// The elements that an index of this shape reads of an expression x, where far fewer are read than x has: the
/// expression of what is read of its operand, and of the operand's rows, so that x is neither computed nor stored for
/// them (a log_softmax at the labels). Nothing where x is none, or one of several tensors of its size or of what is not
/// computed yet, or where a derivative or a map goes through it. axis, axes: nodes::Gather's. Of short rows that its
/// reductions read anyway the operand's elements are picked(), however many are read.
std::optional<Tensor> gathered_first(const Tensor& x, int axis, const Shape& shape, const IntList& axes,
                                     const GatherElements& gather);

}  // namespace eglantine::verbs
