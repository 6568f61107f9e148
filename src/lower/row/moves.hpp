#pragma once

#include "graph/kernel/kernel.hpp"
#include "layout/split.hpp"

namespace eglantine::lower {

RowKernel in_box(RowKernel kernel, const layout::Box& box);

/// Where a result goes before it is moved to its place: contiguous, in the order of the domain.
Layout contiguous_result(const Layout& out, int kept_rank);

/// A map that moves what lies in `from` to `to`, each element (or row) once.
MapKernel moving(Strided from, Strided to, int kept_rank);

}  // namespace eglantine::lower
