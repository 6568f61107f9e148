#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// out[key] += the sum of the values of that key, for `count` keys (u32) in order beside their values (f32); a key
/// that is no element of out adds nowhere. The order of addition depends on the keys alone
/// (glsl/index/scatter_segments.comp).
void add_segments(Lowering& lowering, const BufferPtr& keys, const BufferPtr& values, int64_t count,
                  const Strided& out);

}  // namespace eglantine::lower
