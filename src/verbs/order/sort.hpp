#pragma once

#include "verbs/build.hpp"

namespace eglantine::verbs {

/// x's rows along its last axis in order, in the type that its dtype computes in, of which only these places, given in
/// order, are read: what the others hold is left to the backend.
Tensor sort_places(const Tensor& x, const IntList& places);

}  // namespace eglantine::verbs
