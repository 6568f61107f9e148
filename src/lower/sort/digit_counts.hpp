#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// The scan of a radix sort's pass, in the order (digit, tile): counts (rows, tiles, 256) of a tile's records with a
/// digit become the position in the row of the first of them.
void scan_counts(Lowering& lowering, const BufferPtr& counts, int64_t rows, int64_t tiles);

}  // namespace eglantine::lower
