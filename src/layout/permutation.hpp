#pragma once

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// The permutation that takes another one back, as permute() takes it.
Axes inverse_of(const Axes& order);

}  // namespace eglantine::layout
