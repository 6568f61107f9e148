#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Adds the step of a scatter that is a compaction (glsl/index/compact.comp).
void compact(Lowering& lowering, const ScatterKernel& kernel);

}  // namespace eglantine::lower
