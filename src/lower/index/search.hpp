#pragma once

#include "codegen/addresses/access_pattern.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// The search of a gather that looks up a bound, over a window of its axis (glsl/index/search.comp). The windows of one
/// domain must run from the last to the first.
void search(Lowering& lowering, const GatherKernel& kernel, const codegen::Window& window);

}  // namespace eglantine::lower
