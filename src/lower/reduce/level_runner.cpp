#include "lower/reduce/level_runner.hpp"

#include <algorithm>
#include <numeric>

#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "lower/reduce/materialized_window.hpp"
#include "lower/staged_rows.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

/// About half of a count above `multiple`, as a multiple of it.
int64_t halved(int64_t count, int64_t multiple) { return ceil_divide(count, 2 * multiple) * multiple; }

/// The smallest window that is tried before what it reads is copied: one that a temporary holds, and so many of them
/// that reading in place takes less.
int64_t fewest_in_place(int64_t all, int64_t storable, int64_t multiple) {
  constexpr int64_t most_windows = 16;
  return std::min(storable, std::max<int64_t>(1, ceil_divide(all, most_windows * multiple)) * multiple);
}

}  // namespace

bool LevelRunner::fits_in_rows() const {
  const Window blocks{0, level_.blocks};
  const int64_t count = most_kept(blocks);
  for (int64_t first = 0; first < level_.kept; first += count)
    if (!fits({{first, std::min(count, level_.kept - first)}, blocks})) return false;
  return true;
}

ReduceProgram LevelRunner::program(const ReduceWindow& window) const {
  return program_of<ReduceProgram>(lowering_.target(), level_, window);
}

bool LevelRunner::small_enough(const ReduceWindow& window) const {
  const int64_t block = std::min(level_.length, level_.block());
  const int64_t blocks = window.kept.count * window.blocks.count;
  return blocks <= elements_a_dispatch / block && std::max(level_.kept, level_.length) < elements_a_dispatch;
}

bool LevelRunner::fits(const ReduceWindow& window) const {
  if (!small_enough(window)) return false;
  const ReduceProgram one = program(window);
  return one.fits() && one.bindings() <= lowering_.target().max_bindings;
}

/// Kept coordinates come in multiples of these: columns of a vector, rows that are taken at once, and vectors of short
/// rows, which lie one behind the other where they are materialized, and are read in the order of memory then.
int64_t LevelRunner::least_kept() const {
  if (!row_) return vector_width;
  const bool are_short = staged_group(lowering_.target(), level_.length).has_value();
  return are_short ? std::lcm(int64_t{vector_width}, level_.at_once()) : level_.at_once();
}

/// All kept coordinates, or about a half, a quarter ... of them, that with these blocks can be counted.
int64_t LevelRunner::most_kept(const Window& blocks) const {
  int64_t count = level_.kept;
  while (count > least_kept() && !small_enough({{0, count}, blocks})) count = halved(count, least_kept());
  return count;
}

/// Dispatches a window if it fits.
bool LevelRunner::run_window(const ReduceWindow& window) {
  if (!small_enough(window)) return false;
  const ReduceProgram whole = program(window);
  if (!whole.fits()) return false;
  lowering_.dispatch(whole.dispatch());
  return true;
}

/// Elements of a temporary that one range covers.
int64_t LevelRunner::temporary_capacity() const {
  return lowering_.target().max_block_bytes / size_of(level_.prologue.dtype());
}

/// Some blocks of all kept coordinates, cut along the latter.
void LevelRunner::run_kept(const Window& blocks) {
  const int64_t elements = std::min(level_.length, blocks.count * level_.block());
  const int64_t least = least_kept();
  const int64_t storable = std::max(least, temporary_capacity() / elements / vector_width * vector_width);
  const int64_t fewest = fewest_in_place(level_.kept, storable, least);
  int64_t count = row_ ? most_kept(blocks) : level_.kept;
  for (int64_t first = 0; first < level_.kept; first += count) {
    count = std::min(count, level_.kept - first);
    while (!run_window({{first, count}, blocks})) {
      if (count <= fewest) {
        count = std::min(storable, level_.kept - first);
        blocks.count > 1 ? run_blocks({first, count}) : run_materialized({{first, count}, blocks});
        break;
      }
      count = std::max(fewest, halved(count, least));
    }
  }
}

/// All blocks of some kept coordinates, cut along the former.
void LevelRunner::run_blocks(const Window& kept) {
  const int64_t storable = temporary_capacity() / (level_.block() * kept.count);
  const int64_t fewest = fewest_in_place(level_.blocks, std::max<int64_t>(1, storable), 1);
  int64_t count = level_.blocks;
  for (int64_t first = 0; first < level_.blocks; first += count) {
    count = std::min(count, level_.blocks - first);
    while (!run_window({kept, {first, count}})) {
      if (count <= fewest) {
        count = std::min(std::max<int64_t>(1, storable), level_.blocks - first);
        storable == 0 && kept.count > vector_width ? run_kept({first, count})
                                                   : run_materialized({kept, {first, count}});
        break;
      }
      count = std::max(fewest, halved(count, 1));
    }
  }
}

void LevelRunner::run_materialized(const ReduceWindow& window) {
  const ReduceLevel materialized = materialized_window(lowering_, level_, window);
  const Window blocks{window.blocks.first - materialized.first_block, window.blocks.count};
  const ReduceProgram whole(lowering_.target(), materialized, ReduceWindow{window.kept, blocks}, true);
  if (!whole.fits()) throw_too_small();
  lowering_.dispatch(whole.dispatch());
}

void LevelRunner::throw_too_small() const {
  throw DeviceError("[reduce] one storage buffer binding covers " + std::to_string(lowering_.target().max_block_bytes) +
                    " bytes, and a block of the reduction takes " +
                    std::to_string(level_.block() * size_of(level_.prologue.dtype()) * (row_ ? 1 : vector_width)) +
                    "; raise EGLANTINE_MAX_BLOCK_BYTES");
}

}  // namespace eglantine::lower
