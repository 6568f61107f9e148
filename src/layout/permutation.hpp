#pragma once

#include "layout/layout.hpp"

namespace eglantine::layout {

/// The permutation that takes another one back, as permute() takes it.
Axes inverse_of(const Axes& order);

/// The permutation that brings the axes of an order, without some of them, back into their own order, as permute()
/// takes it.
Axes places_of_left(const Axes& order, const Axes& axes);

/// x with its last axis moved before another one: of a reduction over several axes that axis is kept then.
Layout with_last_before(const Layout& x, int axis);

}  // namespace eglantine::layout
