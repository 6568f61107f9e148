#pragma once

#include "lower/sort/subgroup_program.hpp"

/// The keys at a few places of long sorted rows, as medians and quantiles read: found digit by digit, by counting, so
/// that a row is read once for each digit of 11 bits, and nothing is sorted or moved.
namespace eglantine::lower {

/// Writes the keys at these places, in order, of each of the job's sorted rows, which are its `keep` results; for rows
/// that counts_places(). Counts are of windows of the rows, or of a row. Returns false, with nothing done, where
/// expressions bind too many buffers, or reach so far that no range covers a window's keys or a row's results.
bool run_places(Lowering& lowering, const SortJob& job, const IntList& places);

/// Whether rows of such a length are read several times by it: long ones, few places, and where there is enough shared
/// memory and one range covers the counts of a row.
bool counts_places(const Target& target, int64_t length, const IntList& places);

}  // namespace eglantine::lower
