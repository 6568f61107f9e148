#pragma once

#include "lower/sort/subgroup_program.hpp"

/// The keys at a few places of long sorted rows, as medians and quantiles read: found digit by digit, by counting, so
/// that a row is read once for each digit of 11 bits, and nothing is sorted or moved.
namespace eglantine::lower {

/// Writes the keys at these places, in order, of each of the job's sorted rows, and no others. Returns false, with
/// nothing done, for short rows, many places and records of pairs, and where shared memory, bindings or a range that
/// covers all rows are missing.
bool run_places(Lowering& lowering, const SortJob& job, const IntList& places);

/// Whether rows of such a length are read several times by it.
bool counts_places(const Target& target, int64_t length, const IntList& places);

}  // namespace eglantine::lower
