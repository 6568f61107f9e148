#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// As lower(), without copies of rows (GatherRows), whose buffers are those of the kernel alone: for steps of others.
void gather_by_dispatch(Lowering& lowering, const GatherKernel& kernel);

}  // namespace eglantine::lower
