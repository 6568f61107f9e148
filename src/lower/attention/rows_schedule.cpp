#include "lower/attention/rows_schedule.hpp"

#include <algorithm>

#include "layout/divide.hpp"
#include "lower/attention/multiprocessor.hpp"
#include "lower/attention/short_schedule.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// Vectors of queries, and of sums, that a lane has in registers of each row, and lanes that share rows.
constexpr int64_t lane_vectors = 4;
constexpr int most_lanes = 8;
// Rows below which a subgroup would idle, and subgroups of single rows below which the tile form is quicker.
constexpr int64_t fewest_rows = 32, many_rows = 128, fewest_shared_subgroups = 3000;
// Of a group: of more, registers would not suffice.
constexpr int64_t most_subgroups = 8;
// Rows up to which causal heads of four lanes are quicker so, since chunks that hide all are left out: 1000 of 201 x 64
// on an H200 285 us, as tiles 298, 1120 of 227 380 and 383, 700 of 300 391 and 358.
constexpr int64_t longest_causal_of_four = 240;
// Bytes of shared memory for each invocation, beyond which a small group's steps are shortened: it leaves room to
// others.
constexpr int64_t bytes_of_invocation = 128;

int lanes_of(int64_t vectors) {
  int lanes = 1;
  while (ceil_divide(vectors, lanes) > lane_vectors) lanes *= 2;
  return lanes;
}

/// What so many rows of a lane take: of a scheduler, in rows of as many columns.
double cost_of(const Target& target, const AttentionKernel& kernel, int lanes, int rows) {
  const int64_t band = subgroup_lanes / lanes * rows, bands = ceil_divide(kernel.rows, band);
  const double seen = kernel.causal ? 0.5 + 0.5 / static_cast<double>(bands) : 1.0;
  const double subgroups =
      static_cast<double>(kernel.heads * bands) / static_cast<double>(schedulers * multiprocessors_of(target));
  return (rows + cost_of_columns(lanes)) * std::max(subgroups * seen, static_cast<double>(fewest_subgroups));
}

/// Up to three, for which a lane has registers; four where lanes of at most three vectors read so much that they wait
/// for it anyway (2400 heads of 150 x 128 on an H200: four 1,792 us, three 1,392; 300 of 300 x 96 431 and 539).
int rows_of(const Target& target, const AttentionKernel& kernel, int lanes) {
  const int64_t elements = std::max(kernel.features, kernel.results);
  const int most = lanes == most_lanes && elements <= int64_t{3} * vector_width * lanes ? 4 : 3;
  int best = 1;
  for (int rows = 2; rows <= most; ++rows)
    if (cost_of(target, kernel, lanes, rows) < cost_of(target, kernel, lanes, best)) best = rows;
  return best;
}

/// Places side by side for rows, in as many subgroups as there are lanes and one more (one subgroup of one lane), which
/// share what they read of memory, but no more than the tiles' bands of rows need (500 heads of 100 x 64 in tiles of 96
/// rows, the second nearly empty, 125 us on an H200, by five subgroups of 24 rows 81).
int places_of(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  const int64_t places = subgroup_lanes / tile.lanes_x, bands = ceil_divide(kernel.rows, places * tile.rows);
  const int64_t fitting = std::max<int64_t>(1, target.max_invocations / subgroup_lanes);
  const int64_t most = std::min<int64_t>({tile.lanes_x > 1 ? tile.lanes_x + 1 : 1, most_subgroups, fitting});
  return static_cast<int>(places * ceil_divide(bands, ceil_divide(bands, most)));
}

/// Whether rows are so many, and fill tiles so well, that those are quicker than eight lanes a row: of 65 to 96 results
/// tiles of eight lanes (on an H200 176 heads of 480 x 80 take 561 us so, 613 by rows; 300 of 300 x 96, which would be
/// tiles of sixteen, 512 and 431), of more those whose last has few empty rows (2400 of 150 x 128 1,547 and 1,392).
bool fills_tiles(const AttentionKernel& kernel) {
  constexpr int64_t of_eight_lanes = 24, few_rows = 256;
  const bool is_wide = ceil_divide(kernel.results, vector_width) > of_eight_lanes;
  const int64_t most = is_wide && kernel.rows < few_rows ? 114 : 130;  // per cent of the rows
  if (kernel.rows < many_rows || 100 * round_up(kernel.rows, 64) > most * kernel.rows) return false;
  return is_wide || suits_eight_lanes(kernel);
}

/// Whether this form is the quicker one. On an H200 heads of 16 take 0.25 to 0.7 of the tile form's time, of 32 0.65 to
/// 0.9, of 64 0.85 to 0.97 and long causal ones 1.02, of 80 to 128 results 1.04 to 1.3 where rows fill tiles of 64.
bool is_quicker(const AttentionKernel& kernel, int lanes) {
  if (kernel.rows < fewest_rows || lanes > most_lanes ||
      (lanes == 4 && kernel.causal && kernel.rows > longest_causal_of_four))
    return false;
  if (lanes == most_lanes && ceil_divide(kernel.results, vector_width) > 16 && fills_tiles(kernel)) return false;
  return lanes == 1 || kernel.heads * kernel.rows * lanes >= fewest_shared_subgroups * subgroup_lanes;
}

/// Columns of a chunk and of a step: as many as fit, and no more than there are.
void fit_columns(AttentionTile& tile, const Target& target, const AttentionKernel& kernel) {
  const int64_t shared = std::min({most_shared_vectors, target.max_shared_bytes / vector_bytes,
                                   tile.group_size() * bytes_of_invocation / vector_bytes});
  tile.score_vectors = tile.rows == 1 ? 4 : 2;
  while (tile.score_vectors > 1 && 2 * tile.score_vectors >= std::max<int64_t>(kernel.columns, tile.lanes_x))
    tile.score_vectors /= 2;
  tile.step_columns = tile.lanes_x <= 2 ? 16 : 32;
  while (tile.step_columns > 4 * tile.score_vectors &&
         (tile.shared_vectors() > shared || tile.step_columns >= 2 * kernel.columns))
    tile.step_columns /= 2;
}

}  // namespace

std::optional<AttentionTile> attention_rows_tile(const Target& target, const AttentionKernel& kernel) {
  const int64_t features = ceil_divide(kernel.features, vector_width),
                results = ceil_divide(kernel.results, vector_width);
  AttentionTile tile{.form = AttentionTile::Form::rows, .lanes_x = lanes_of(std::max(features, results))};
  tile.shuffles = tile.lanes_x > 1;
  const bool is_short = tile.lanes_x <= most_lanes && are_short_heads(target, kernel, tile.lanes_x);
  if (!(is_short || is_quicker(kernel, tile.lanes_x)) || (tile.shuffles && target.subgroup != subgroup_lanes))
    return std::nullopt;
  tile.feature_vectors = static_cast<int>(ceil_divide(features, tile.lanes_x));
  tile.result_vectors = static_cast<int>(ceil_divide(results, tile.lanes_x));
  tile.bare = target.forward_progress;
  tile.fused = !target.gles;
  if (is_short) {
    fit_short_heads(tile, target, kernel);
    return tile;
  }
  tile.rows = rows_of(target, kernel, tile.lanes_x);
  tile.lanes_y = places_of(target, kernel, tile);
  fit_columns(tile, target, kernel);
  return tile;
}

}  // namespace eglantine::lower
