#pragma once

#include <vector>

#include "graph/kernel.hpp"

namespace eglantine::lower {

/// The reduction with its last kept axis, a long one, cut into fours, which may be taken at once (together.hpp) where
/// all of its rows read the same elements, as those of all pairs of points do; and what is left of the axis. Empty
/// where that axis is short, or what the kernel reads or makes of the results cannot be cut so.
std::vector<ReduceKernel> rows_in_fours(const ReduceKernel& kernel);

}  // namespace eglantine::lower
