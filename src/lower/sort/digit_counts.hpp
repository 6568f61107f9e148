#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// counts (rows, segments, 256), from how many records of a segment have a digit to where in the row the first of them
/// goes: the scan of a radix sort's pass, in the order (digit, segment).
void scan_counts(Lowering& lowering, const BufferPtr& counts, int64_t rows, int64_t tiles);

}  // namespace eglantine::lower
