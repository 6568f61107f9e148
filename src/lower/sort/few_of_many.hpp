#pragma once

#include <optional>

#include "lower/sort/subgroup_program.hpp"

/// The first few records of long rows on hardware, for which each record is read about once: a row is cut into tiles,
/// and of the tiles in the order of their first records, equal ones in theirs, the first k hold the row's first k
/// records.
namespace eglantine::lower {

/// The steps of a job, between which its runner selects the first k of `firsts` and, after them, of `candidates`.
struct FewOfMany {
  int64_t tiles = 0;  ///< of a row
  int64_t tile = 0;   ///< records
  Dispatch find_firsts, gather;
  SortSource firsts;      ///< (rows, tiles) pairs: the key's bits of each tile's first record, and the tile
  SortTarget chosen;      ///< (rows, k) of those
  SortSource candidates;  ///< (rows, k * tile) pairs: the records of the chosen tiles, in order
};

/// Whether neighbouring rows are nearer to each other in memory than the records of a row.
bool rows_are_near(const SortJob& job);

/// Whether they are, and as many as the lanes that read them.
bool rows_lie_side_by_side(const SortJob& job);

/// Records of a tile, or 0 where sorting all records is quicker.
int64_t few_of_many_tile(const Target& target, int64_t rows, int64_t length, int64_t keep);

/// Nothing where that is 0, or where one range covers too little.
std::optional<FewOfMany> few_of_many(Lowering& lowering, const SortJob& job);

}  // namespace eglantine::lower
