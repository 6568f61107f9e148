#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Pairs sorted by key: two buffers, or both words side by side in one (`values` null).
struct SegmentPairs {
  BufferPtr keys, values;
  int64_t count = 0;
};

/// out[key] combined with all values of the key, for sorted keys (u32) and their values (of out's dtype); keys that are
/// no element of out are skipped. The order depends on the keys alone (glsl/index/scatter_segments.comp).
void combine_segments(Lowering& lowering, Reduction reduction, SegmentPairs pairs, const Strided& out);

}  // namespace eglantine::lower
