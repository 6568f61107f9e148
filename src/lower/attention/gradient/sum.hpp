#pragma once

#include "lower/attention/gradient/schedule.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// q's gradient of its parts, which lie one behind the other, each as the whole does: glsl/attention/
/// attention_gradient_sum.comp.
void add_parts(Lowering& lowering, const AttentionGradientKernel& kernel, const Strided& parts,
               const AttentionGradientTile& tile);

}  // namespace eglantine::lower
