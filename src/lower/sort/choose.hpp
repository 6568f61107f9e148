#pragma once

#include "lower/sort/subgroup_program.hpp"

/// The first few records of rows on hardware, chosen by digits of the last one's key and then sorted.
namespace eglantine::lower {

/// Whether rows are read several times by groups of their own, which takes less than sorting them in shared memory.
bool chooses_few(const Target& target, int64_t rows, int64_t length, int64_t keep);

/// Writes the first `keep` records of each of the job's rows, in their order there, to `chosen`, a buffer of records of
/// that pitch. Returns false, with nothing done, where bindings are missing and for rows that lie side by side.
bool run_choice(Lowering& lowering, const SortJob& job, const SortTarget& chosen);

}  // namespace eglantine::lower
