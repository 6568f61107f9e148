#pragma once

#include "lower/attention/schedule.hpp"

namespace eglantine::lower {

/// Columns of each of several splits of an attention's columns, a multiple of the tile's, whose groups run side by side
/// and whose results are merged: where heads and rows alone make too few groups. 0 where they do not. ("Flash-Decoding
/// for long-context inference", Dao and others, 2023.)
int64_t split_columns(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile);

}  // namespace eglantine::lower
