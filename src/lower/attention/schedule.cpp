#include "lower/attention/schedule.hpp"

#include <algorithm>
#include <limits>

#include "layout/divide.hpp"
#include "lower/attention/multiprocessor.hpp"
#include "lower/attention/rows_schedule.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// Vectors of a row's results that an invocation of the serial form has in registers: more take the scores once more. On
// llvmpipe 4 x 512 x 512 x 128, causal, takes 21 ms so, and 51 with 16 vectors.
constexpr int64_t serial_vectors = 32;

// Of a row, from which sixteen lanes have eight each in a step: fewer steps wait for shared memory (96 heads of 1024 x
// 128 on an H200 1,651 us with four, 1,510 with eight), but the last one has more idle (2400 of 150 x 128 1,642 and
// 1,868, 192 of 300 x 100 385 and 412).
constexpr int64_t many_columns = 512;

// Rows up to which causal tiles of eight lanes have four an invocation.
constexpr int64_t short_causal = 512;

AttentionTile serial_tile(const Target& target, const AttentionKernel& kernel) {
  AttentionTile tile{.form = AttentionTile::Form::serial};
  tile.rows = kernel.rows >= 32 ? 4 : kernel.rows >= 16 ? 2 : 1;
  tile.score_vectors = kernel.columns > 4 ? 2 : 1;
  tile.result_vectors = static_cast<int>(std::min(ceil_divide(kernel.results, 4), serial_vectors));
  tile.fused = !target.gles;
  return tile;
}

/// Lanes that share rows. Three vectors of results a lane of eight are quicker than two of sixteen, a part of which
/// idles (us on an H200, with sixteen and so: 96 heads of 1024 x 96, causal, 766 and 700, of 1024 x 80 1,331 and 1,175,
/// 240 of 300 x 80, causal, 247 and 223); four leave too few registers (96 of 1024 x 128 1,510 and 2,456).
int lanes_for(const AttentionKernel& kernel) {
  constexpr int64_t of_two_vectors = 16, of_eight = 24, of_sixteen = 32;
  const int64_t vectors = ceil_divide(kernel.results, 4);
  const bool of_eight_lanes = vectors <= of_two_vectors || (vectors <= of_eight && suits_eight_lanes(kernel));
  return of_eight_lanes ? 8 : vectors <= of_sixteen ? 16 : 32;
}

/// Whether an invocation has four rows in place of eight. Under a causal mask tiles differ in length: a few rounds of
/// them end unevenly, unless they are small, and of short rows small ones hold less that is hidden (us on an H200, of
/// eight and of four: 1000 heads of 201 x 64 373 and 298, 700 of 300 494 and 358, 400 of 500 532 and 494, 800 of
/// 480 x 80 1,965 and 1,519, 96 of 1024 x 64 both 421, 4096 5.93 ms and 6.29).
bool has_few_rows(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  if (kernel.causal && tile.lanes_x == 8 && kernel.rows <= short_causal) return true;
  const int64_t groups = kernel.heads * ceil_divide(kernel.rows, tile.tile_rows()), rounds = kernel.causal ? 8 : 2;
  return groups < rounds * target.resident_invocations / invocations_of_a_multiprocessor;
}

/// Of short sequences no more rows and columns than a step has. Without shuffles rows go by four.
void fit_lengths(AttentionTile& tile, const AttentionKernel& kernel) {
  const int fewest = tile.shuffles ? 1 : 4;
  while (tile.rows > fewest && tile.tile_rows() >= 2 * kernel.rows) tile.rows /= 2;
  if (tile.score_vectors > 1 && tile.tile_columns() >= 2 * kernel.columns) tile.score_vectors /= 2;
}

/// Takes as many slots at once as fit.
void fill_shared_memory(AttentionTile& tile, int64_t vectors) {
  constexpr int most_slots = 8;
  for (tile.slots = tile.value_slots = most_slots; tile.shared_vectors() > vectors && tile.value_slots > 1;
       tile.value_slots /= 2) {
  }
  for (; tile.shared_vectors() > vectors && tile.slots > 1; tile.slots /= 2) {
  }
}

}  // namespace

int AttentionTile::shared_vectors() const {
  if (form == Form::rows) return heads * step_columns * (key_vectors() + tile_vectors());
  const int scores = (tile_rows() + tile_columns()) * slots, values = (tile_rows() + 4 * tile_vectors()) * value_slots,
            rows_of_lanes = shuffles ? 0 : group_size() * rows / 4;
  return std::max({scores, values, rows_of_lanes});
}

bool suits_eight_lanes(const AttentionKernel& kernel) {
  const bool fills_large_tiles = 10 * round_up(kernel.rows, 128) <= 11 * round_up(kernel.rows, 64);
  return fills_large_tiles || (kernel.causal && kernel.rows <= short_causal);
}

AttentionTile attention_tile(const Target& target, const AttentionKernel& kernel) {
  if (target.software) return serial_tile(target, kernel);
  if (const auto rows = attention_rows_tile(target, kernel)) return *rows;
  const int64_t vectors = ceil_divide(kernel.results, 4);
  AttentionTile tile;
  tile.lanes_x = lanes_for(kernel);
  tile.lanes_y = invocations_of_a_group / tile.lanes_x;
  tile.rows = 8;
  if (has_few_rows(target, kernel, tile)) tile.rows = 4;
  tile.score_vectors = tile.lanes_x == 8 || (tile.lanes_x == 16 && kernel.columns >= many_columns) ? 2 : 1;
  tile.result_vectors = static_cast<int>(ceil_divide(vectors, tile.lanes_x));
  tile.bare = target.forward_progress;
  tile.fused = !target.gles;
  tile.shuffles = target.subgroup == 32 && tile.lanes_x <= 16;
  fit_lengths(tile, kernel);
  fill_shared_memory(tile, std::min(most_shared_vectors, target.max_shared_bytes / vector_bytes));
  return tile;
}

int64_t longest_columns(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  if (target.max_loop_trips == 0) return std::numeric_limits<int64_t>::max();
  const int64_t steps = tile.serial() ? ceil_divide(kernel.features, 4) + 1
                                      : ceil_divide(kernel.features, 4) * 8 + int64_t{16} * tile.tile_columns();
  return std::max<int64_t>(1, target.max_loop_trips / 2 / steps) * tile.tile_columns();
}

}  // namespace eglantine::lower
