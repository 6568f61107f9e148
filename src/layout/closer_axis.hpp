#pragma once

#include <cstdint>

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// Of the axes with at least `least` elements, the one along which they lie closest together in memory; -1 unless
/// closer than along the innermost one.
int closer_axis(const Layout& x, int64_t least);

}  // namespace eglantine::layout
