#pragma once

#include <vector>

#include "eglantine/tensor.hpp"
#include "graph/node.hpp"
#include "layout/layout.hpp"

namespace eglantine::derivatives {

/// A cotangent and the positions of a source that its elements belong to.
struct Placing {
  Tensor g;
  Layout at;
};

/// The same, without what is repeated, which is summed; the other axes are turned and ordered so that strides fall.
Placing ordered(Placing placing);

/// Whether two elements have one position. Of ordered ones.
bool overlaps(const Layout& at);

/// Whether an element of one has the position of an element of the other. Of ordered ones that do not overlap
/// themselves, with as many axes and the same strides; where these differ it may say that they meet though they do not.
bool may_meet(const Layout& x, const Layout& y);

/// The cotangent of a source that is read in these parts, which are ordered: where they are the same parts of one
/// tensor, that tensor; where together they are all of it and do not meet, put side by side, so that each is written
/// once and read from there; else their sum with zeros around each.
Tensor joined(const std::vector<Placing>& parts, const Node& source);

}  // namespace eglantine::derivatives
