#include "lower/attention/gradient/schedule.hpp"

#include <algorithm>
#include <limits>

#include "layout/divide.hpp"
#include "lower/attention/multiprocessor.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// A GPU's invocation has four lines and a vector of others, and a group at most 12 KiB of shared memory, so that four
// are resident on a multiprocessor of an H100, which gives all groups 48 KiB: 8 x 12 x 4096 x 64, causal, with its
// forward pass takes 35.7 ms, 36.7 with 16 KiB, and 46.0 with eight lines.
constexpr int lines_of_invocation = 4;
constexpr int64_t most_gradient_shared = 768;
constexpr int64_t most_shared_of_all = 1024;
// Vectors of a line's sums that an invocation of the serial form has at once: more take the scores once more.
constexpr int64_t serial_sum_vectors = 32;

AttentionGradientTile serial_tile(const Target& target, const AttentionGradientKernel& kernel) {
  const int64_t lines = lines_of(kernel);
  const auto vectors = [](int64_t elements, int64_t most) {
    return static_cast<int>(std::min(ceil_divide(elements, 4), most));
  };
  AttentionGradientTile tile{.serial = true, .of_keys = kernel.is_of_keys()};
  tile.lines = lines >= 32 ? 4 : lines >= 16 ? 2 : 1;
  tile.score_vectors = others_of(kernel) > 4 ? 2 : 1;
  tile.out_vectors = vectors(kernel.features, tile.of_keys ? serial_sum_vectors / 2 : serial_sum_vectors);
  if (tile.of_keys) tile.second_vectors = vectors(kernel.results, serial_sum_vectors / 2);
  tile.fused = !target.gles;
  return tile;
}

/// Steps of 64 others, of which an invocation has four in eight lanes and eight in sixteen; of short sequences half of
/// both, others and lines.
void take_all(AttentionGradientTile& tile, const AttentionGradientKernel& kernel) {
  tile.of_all = true;
  tile.line_slots = 8;
  if (tile.lanes_x > 8) return;
  const auto fits_half = [&](int64_t count) { return 2 * count <= tile.tile_lines(); };
  tile.score_vectors = fits_half(kernel.rows) ? 1 : 2;
  if (fits_half(kernel.columns)) tile.lanes_y /= 2;
}

/// So many parts of q's gradient that the groups of all heads keep the device busy, if together they take at most 256
/// MiB, which one binding covers.
int64_t parts_of(const Target& target, const AttentionGradientKernel& kernel, const AttentionGradientTile& tile) {
  constexpr int64_t most_elements = int64_t{1} << 26;
  const int64_t enough_groups = multiprocessors_of(target) * 11 / 2, heads = kernel.heads / kernel.together,
                covered = std::min(most_elements, target.max_block_bytes / 4) / kernel.out.layout.size();
  return std::clamp<int64_t>(ceil_divide(enough_groups, heads), 1,
                             std::max<int64_t>(1, std::min(tiles_of(kernel, tile), covered)));
}

/// Takes as many slots at once as fit.
void fill_shared_memory(AttentionGradientTile& tile, int64_t vectors) {
  constexpr int most_slots = 8;
  for (tile.slots = tile.sum_slots = most_slots; tile.shared_vectors() > vectors && tile.sum_slots > 1;
       tile.sum_slots /= 2) {
  }
  for (; tile.shared_vectors() > vectors && tile.slots > 1; tile.slots /= 2) {
  }
  for (; tile.shared_vectors() > vectors && tile.line_slots > 1; tile.line_slots /= 2) {
  }
  // The other one may have been halved for nothing.
  for (; tile.sum_slots < most_slots; tile.sum_slots *= 2) {
    AttentionGradientTile more = tile;
    more.sum_slots *= 2;
    if (more.shared_vectors() > vectors) break;
  }
}

}  // namespace

int AttentionGradientTile::shared_vectors() const {
  const int scores = (tile_lines() + tile_others()) * slots,
            sums = (tile_lines() + 4 * std::max(tile_out(), tile_second())) * sum_slots,
            others = (tile_others() + 4 * tile_out()) * line_slots;
  return std::max({scores, sums, others});
}

int64_t tiles_of(const AttentionGradientKernel& kernel, const AttentionGradientTile& tile) {
  return ceil_divide(lines_of(kernel), tile.tile_lines());
}

int64_t turns_of(const AttentionGradientKernel& kernel, const AttentionGradientTile& tile) {
  return tile.of_all ? ceil_divide(tiles_of(kernel, tile), tile.parts) : 1;
}

AttentionGradientTile attention_gradient_tile(const Target& target, const AttentionGradientKernel& kernel) {
  if (target.software) return serial_tile(target, kernel);
  AttentionGradientTile tile{.of_keys = kernel.is_of_keys()};
  const int64_t out = ceil_divide(kernel.features, 4), second = tile.of_keys ? ceil_divide(kernel.results, 4) : 0,
                vectors = std::max(out, second);
  tile.lanes_x = vectors <= 16 ? 8 : vectors <= 32 ? 16 : 32;
  tile.lanes_y = invocations_of_a_group / tile.lanes_x;
  tile.lines = lines_of_invocation;
  tile.out_vectors = static_cast<int>(ceil_divide(out, tile.lanes_x));
  tile.second_vectors = static_cast<int>(ceil_divide(second, tile.lanes_x));
  tile.bare = target.forward_progress;
  tile.fused = !target.gles;
  const bool of_all = kernel.is_of_all() && tile.lanes_x <= 16;
  if (of_all) take_all(tile, kernel);
  if (of_all) tile.parts = parts_of(target, kernel, tile);
  fill_shared_memory(
      tile, std::min(of_all ? most_shared_of_all : most_gradient_shared, target.max_shared_bytes / vector_bytes));
  return tile;
}

int64_t longest_others(const Target& target, const AttentionGradientKernel& kernel, const AttentionGradientTile& tile) {
  if (target.max_loop_trips == 0) return std::numeric_limits<int64_t>::max();
  const int64_t vectors = ceil_divide(kernel.features, 4) + ceil_divide(kernel.results, 4);
  const int64_t steps = tile.serial ? vectors + 1 : vectors * 8 + int64_t{32} * tile.tile_others();
  const int64_t times = std::max<int64_t>(1, kernel.together) * turns_of(kernel, tile);
  return std::max<int64_t>(1, target.max_loop_trips / 2 / steps / times) * tile.tile_others();
}

}  // namespace eglantine::lower
