#pragma once

#include "lower/index/scatter_program.hpp"

namespace eglantine::lower {

/// The kernel over a box of its domain.
ScatterKernel restricted(const ScatterKernel& kernel, const layout::Box& box);

/// Adds the dispatches of a pass, one for each window.
void run_pass(Lowering& lowering, const ScatterKernel& kernel, ScatterPass pass, const ScatterJob& job);

/// The element that each update goes to, in the updates' order.
Strided keys_of(Lowering& lowering, ScatterKernel kernel, ScatterJob job);

}  // namespace eglantine::lower
