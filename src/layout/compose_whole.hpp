#pragma once

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// compose() of `outer` and a layout without gaps, row-major from `first` on: positions are addresses.
Layout compose_whole(const Layout& outer, int64_t first = 0);

}  // namespace eglantine::layout
