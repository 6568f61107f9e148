#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// out[key] += the sum of the key's values, for `count` sorted keys (u32) and their values (f32); keys that are no
/// element of out are skipped. The order of addition depends on the keys alone (glsl/index/scatter_segments.comp).
void add_segments(Lowering& lowering, const BufferPtr& keys, const BufferPtr& values, int64_t count,
                  const Strided& out);

}  // namespace eglantine::lower
