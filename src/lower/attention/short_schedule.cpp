#include "lower/attention/short_schedule.hpp"

#include <algorithm>

#include "layout/divide.hpp"
#include "lower/attention/multiprocessor.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// Of fewer rows lanes have too many keys and values in registers, those of the longest heads sooner.
constexpr int64_t fewest_rows_of_short = 8, fewest_rows_of_eight_lanes = 16;
// Longer sequences keep a group busy; of fewer heads a multiprocessor most have groups of their own at the same time.
constexpr int64_t longest_short = 64, fewest_heads_each = 8;
constexpr int64_t lanes_of_subgroup = 32;
// Of causal ones of four lanes the tile form, which leaves out steps, is the quicker one beyond (20,000 x 64 x 64 of 64
// on an H200: 807 us and 842; not causal 1039 and 815).
constexpr int64_t longest_causal = 48;
// Invocations of a group, and the fewest of a head, which read the same of shared memory at a time.
constexpr int64_t short_group = 64, most_of_a_head = 128, fewest_of_a_head = 8;
// Rows of a lane, for which it has registers; one more where lanes read so much that they wait for it anyway.
constexpr int most_rows = 3, waiting_lanes = 8;

/// Places side by side for a head's rows, a power of two; where they are fewer, a head has several tiles.
int places_for(const Target& target, const AttentionKernel& kernel, int lanes, int rows) {
  const int64_t most = group_size_of(target, most_of_a_head) / lanes;
  int places = static_cast<int>(std::max<int64_t>(1, fewest_of_a_head / lanes));
  while (places * rows < kernel.rows && 2 * places <= most) places *= 2;
  return places;
}

/// One row more also where a head would pass a group's invocations without it: larger groups are fewer.
int most_rows_of(const Target& target, const AttentionKernel& kernel, int lanes) {
  const bool passes = lanes * places_for(target, kernel, lanes, most_rows) > short_group;
  return lanes == waiting_lanes || (lanes > 1 && passes) ? most_rows + 1 : most_rows;
}

/// The number of rows a lane that takes a head the least time.
void fit_rows(AttentionTile& tile, const Target& target, const AttentionKernel& kernel) {
  double least = 0;
  for (int rows = 1; rows <= most_rows_of(target, kernel, tile.lanes_x); ++rows) {
    const int places = places_for(target, kernel, tile.lanes_x, rows);
    const auto tiles = static_cast<double>(ceil_divide(kernel.rows, int64_t{places} * rows));
    const double time = tiles * places * (rows + cost_of_columns(tile.lanes_x));
    if (rows > 1 && time >= least) continue;
    least = time, tile.rows = rows, tile.lanes_y = places;
  }
}

}  // namespace

int64_t short_heads(const Target& target) {
  const bool shares = !target.software && target.subgroup == lanes_of_subgroup;
  return shares ? fewest_heads_each * multiprocessors_of(target) : 0;
}

bool are_short_heads(const Target& target, const AttentionKernel& kernel, int lanes) {
  const int64_t longest = kernel.causal && lanes == 4 ? longest_causal : longest_short;
  const int64_t fewest = lanes < waiting_lanes ? fewest_rows_of_short : fewest_rows_of_eight_lanes;
  return kernel.rows >= fewest && kernel.rows <= longest && kernel.columns <= longest_short &&
         kernel.heads >= fewest_heads_each * multiprocessors_of(target);
}

void fit_short_heads(AttentionTile& tile, const Target& target, const AttentionKernel& kernel) {
  const int64_t shared = std::min(most_shared_vectors, target.max_shared_bytes / vector_bytes);
  fit_rows(tile, target, kernel);
  tile.score_vectors = tile.rows == 1 ? 4 : 2;
  while (tile.score_vectors > 1 && 2 * tile.score_vectors >= std::max<int64_t>(kernel.columns, tile.lanes_x))
    tile.score_vectors /= 2;
  // Short steps leave shared memory to other groups.
  const int64_t chunk = 4 * tile.score_vectors,
                steps = ceil_divide(kernel.columns, std::max<int64_t>(chunk, tile.lanes_y));
  tile.step_columns = static_cast<int>(round_up(ceil_divide(kernel.columns, steps), chunk));
  while (2 * tile.group_size() <= group_size_of(target, short_group) && 2 * tile.shared_vectors() <= shared)
    tile.heads *= 2;
}

}  // namespace eglantine::lower
