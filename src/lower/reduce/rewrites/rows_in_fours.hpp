#pragma once

#include <vector>

#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// The reduction with a long kept axis cut into fours, where all rows along it read the same elements, as those of all
/// pairs of points do, and the target takes four neighbours at once (schedule/together.hpp), each with all that the
/// kernel has at once anyway (the components of a force); and what is left of the axis. Else empty.
std::vector<ReduceKernel> fours_at_once(const Target& target, const ReduceKernel& kernel);

}  // namespace eglantine::lower
