#pragma once

#include "lower/attention/schedule.hpp"

/// Many heads of short sequences in the form of rows: each has as many invocations as its rows take, and groups are so
/// small that several are resident, whose waits for memory overlap.
namespace eglantine::lower {

/// Heads from which there are so many; 0 where a device has no lanes that share rows.
int64_t short_heads(const Target& target);
/// lanes: of a row.
bool are_short_heads(const Target& target, const AttentionKernel& kernel, int lanes);

/// The lanes, rows, heads and columns of a tile whose lanes_x and vectors of features and results are known.
void fit_short_heads(AttentionTile& tile, const Target& target, const AttentionKernel& kernel);

}  // namespace eglantine::lower
