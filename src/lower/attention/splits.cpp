#include "lower/attention/splits.hpp"

#include <algorithm>
#include <array>

#include "layout/divide.hpp"
#include "lower/attention/multiprocessor.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr std::array<int64_t, 9> counts{2, 3, 4, 6, 8, 12, 16, 24, 32};
// Of a split, and of what all splits write: of less there is nothing to gain.
constexpr int64_t fewest_steps = 2, fewest_columns_in_rows = 256, most_bytes = int64_t{1} << 28;
// Of a multiprocessor, which balance each other and need no splits.
constexpr int64_t many_groups = 8;
// Splits are taken where the model below has them quicker by so much, since it errs.
constexpr double worth_splitting = 0.9;

// A model of an H200, us: of a step's multiplications and of what else it does for each score, in elements; of a step
// of a multiprocessor's only group, which waits, relative to one of several; and of the dispatch that merges, and each
// byte that it reads.
constexpr double time_of_product = 6.8e-6, elements_of_score = 40, time_alone = 1.3, time_of_merging = 5,
                 time_of_byte = 6e-7;
// Beside its steps a group takes as long as one more. Groups of unequal lengths balance each other where a
// multiprocessor has several; the last ones end one after the other.
constexpr double steps_of_group = 1, share_of_last = 0.4;
constexpr int64_t balancing_share = 3;

/// Groups that see columns, all their steps, and those of the longest.
struct Work {
  int64_t groups = 0, steps = 0, longest = 0;
};

Work work_of(const AttentionKernel& kernel, const AttentionTile& tile, int64_t columns) {
  Work work;
  const int64_t tiles = ceil_divide(kernel.rows, tile.tile_rows()), step = tile.tile_columns();
  for (int64_t i = 0; i < tiles; ++i) {
    const int64_t seen = kernel.causal ? std::min((i + 1) * tile.tile_rows(), kernel.columns) : kernel.columns;
    for (int64_t first = 0; first < seen; first += columns) {
      const int64_t steps = ceil_divide(std::min(columns, seen - first), step);
      ++work.groups, work.steps += steps, work.longest = std::max(work.longest, steps);
    }
  }
  work.groups *= kernel.heads;
  work.steps *= kernel.heads;
  return work;
}

/// Of the tile form, us.
double time_of(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile, int64_t columns) {
  const Work work = work_of(kernel, tile, columns);
  const double step = time_of_product * tile.tile_rows() * tile.tile_columns() *
                      (static_cast<double>(kernel.features + kernel.results) + elements_of_score);
  const int64_t multiprocessors = multiprocessors_of(target), share = ceil_divide(work.groups, multiprocessors);
  const double longest = static_cast<double>(work.longest) + steps_of_group;
  const double together = static_cast<double>(work.steps) + steps_of_group * static_cast<double>(work.groups);
  const double in_turn = static_cast<double>(share) * longest,
               balanced = together / static_cast<double>(multiprocessors) + share_of_last * longest;
  const double unequal = share < balancing_share ? (in_turn + balanced) / 2 : balanced;
  return step * std::max(time_alone * longest, share == 1 ? 0 : kernel.causal ? unequal : in_turn);
}

double time_of_merge(const AttentionKernel& kernel, int64_t count) {
  const int64_t bytes = int64_t{bytes_of(StorageType::f32)} * kernel.heads * kernel.rows * kernel.results * count;
  return time_of_merging + time_of_byte * static_cast<double>(bytes);
}

int64_t columns_of(const AttentionKernel& kernel, const AttentionTile& tile, int64_t count) {
  return round_up(ceil_divide(kernel.columns, count), tile.tile_columns());
}

/// In the form of rows: as many as give each scheduler the subgroups that keep it busy, of unequal ones more.
int64_t count_in_rows(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  constexpr int64_t unequal_subgroups = 5;
  const int64_t tiles = kernel.heads * ceil_divide(kernel.rows, tile.tile_rows()),
                subgroups = tiles * tile.group_size() / subgroup_lanes;
  const int64_t wanted =
      (kernel.causal ? unequal_subgroups : fewest_subgroups) * schedulers * multiprocessors_of(target);
  return std::min({ceil_divide(wanted, subgroups), kernel.columns / fewest_columns_in_rows, counts.back()});
}

int64_t count_in_tiles(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  const int64_t groups = kernel.heads * ceil_divide(kernel.rows, tile.tile_rows());
  if (groups >= many_groups * multiprocessors_of(target)) return 1;
  double least = worth_splitting * time_of(target, kernel, tile, kernel.columns);
  int64_t best = 1;
  for (const int64_t count : counts) {
    const int64_t columns = columns_of(kernel, tile, count);
    if (columns < fewest_steps * tile.tile_columns()) break;
    const double time = time_of(target, kernel, tile, columns) + time_of_merge(kernel, count);
    if (time < least) least = time, best = count;
  }
  return best;
}

}  // namespace

int64_t split_columns(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  if (tile.serial() || tile.heads > 1 || kernel.columns > longest_columns(target, kernel, tile)) return 0;
  const bool in_rows = tile.form == AttentionTile::Form::rows;
  const int64_t wanted = in_rows ? count_in_rows(target, kernel, tile) : count_in_tiles(target, kernel, tile);
  const int64_t bytes = bytes_of(StorageType::f32) * kernel.heads * kernel.rows * kernel.results;
  const int64_t covered = std::min(most_bytes, target.max_block_bytes - target.binding_alignment);
  const int64_t count = std::min(wanted, covered / bytes);
  const int64_t columns = count > 1 ? columns_of(kernel, tile, count) : kernel.columns;
  return columns < kernel.columns ? columns : 0;
}

}  // namespace eglantine::lower
