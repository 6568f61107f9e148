#pragma once

#include <vector>

#include "verbs/build.hpp"

namespace eglantine::verbs {

/// The elements at each of these places, given in order, of x's rows along its last axis when they are sorted: x's
/// shape with a last axis of one, in the type that its dtype computes in. Long rows are not sorted for it.
std::vector<Tensor> sorted_at(const Tensor& x, const IntList& places);

}  // namespace eglantine::verbs
