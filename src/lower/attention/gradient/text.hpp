#pragma once

#include <string>

#include "lower/attention/gradient/schedule.hpp"

namespace eglantine::lower {

/// The holes of attention_gradient_tile.comp or attention_gradient_serial.comp that are text over an invocation's
/// lines, scores and sums: unrolled since drivers do not unroll it.
std::string attention_gradient_text(const AttentionGradientTile& tile);

}  // namespace eglantine::lower
