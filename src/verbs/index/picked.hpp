#pragma once

#include "verbs/index/gathered_first.hpp"

namespace eglantine::verbs {

/// Whether an index of this shape reads one element of each row of x along `axis`, and a kernel that reads these rows
/// would rather pick them: many short rows of a tensor on a GPU. axes: nodes::Gather's.
bool can_pick(const Tensor& x, int axis, const Shape& shape, const IntList& axes);

/// The elements of x, f32, at an index where can_pick(): sums over each row of what lies at the index's place, and -0
/// elsewhere, which changes no bit. `gather` reads each place's own number, a byte, in whose stead no element of x is
/// looked up, and so checks the index.
Tensor picked(const Tensor& x, int axis, const Shape& shape, const IntList& axes, const GatherElements& gather);

}  // namespace eglantine::verbs
