#pragma once

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// The permutation that takes another one back, as permute() takes it.
Axes inverse_of(const Axes& order);

/// The permutation that brings the axes of an order, without some of them, back into their own order, as permute()
/// takes it.
Axes places_of_left(const Axes& order, const Axes& axes);

}  // namespace eglantine::layout
