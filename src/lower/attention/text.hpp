#pragma once

#include <string>

#include "lower/attention/schedule.hpp"

namespace eglantine::lower {

/// The holes of attention_tile.comp or attention_serial.comp that are text over an invocation's rows, scores and
/// results: unrolled since drivers do not unroll it.
std::string attention_text(const AttentionTile& tile);

}  // namespace eglantine::lower
