#include "lower/contraction/schedule/staged_speeds.hpp"

#include <algorithm>
#include <array>

#include "layout/divide.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

/// The speed of each known tile where it fills the device, relative to the fifth, each kernel alone, as those of a
/// network are: of forward and input gradients of convolutions, and of gradients of weights, whose operands lie along k
/// (measured on an H200; docs/performance-notes.md). Of the next four, for few rows or columns, the third was measured
/// where sums are short; the others are reckoned by it. The next, of 32 rows, is the twelfth with half of its rows,
/// whose invocations load twice as much of b: reckoned. Of 26 channels the twelfth multiplies 64 rows, and of short
/// sums slices take longer to add up than to multiply. The next three are not for staged operands. The last, of
/// which a multiprocessor has two groups, is for those along k, measured where nothing is padding.
constexpr TileSpeeds staged_speeds{1.2,  0.9, 0.83, 0.75, 1.0,  0.93, 0.78, 0.83, 0.88, 0.97, 1.15,
                                   1.08, 0.6, 0.4,  0.28, 0.28, 0.9,  0.3,  0.3,  0.3,  0.3};
constexpr TileSpeeds along_k_speeds{1.18, 0.85, 0.89, 0.55, 0.9, 0.94, 0.87, 0.86, 0.88, 0.96, 1.06,
                                    1.0,  0.55, 0.45, 0.4,  0.4, 0.5,  0.3,  0.3,  0.3,  0.98};
/// Of the eleventh and twelfth, of 8 x 8 results an invocation in one slice: how many groups a multiprocessor has at a
/// time, and its speed with fewer.
bool has_large_results(size_t number) { return number == 10 || number == 11; }
constexpr int64_t resident_large_groups = 4, resident_groups_along_k = 3;
constexpr std::array<double, 3> speed_of_few_groups{1.0, 0.6, 0.93};
// Multiplications equal in time to writing a partial result of a chunk and reading it again, and to the dispatch that
// adds them up.
constexpr double multiplications_of_a_staged_partial = 0.2, multiplications_of_staged_adding = 5e5;
// k steps equal in time to adding up a tile's slices, and to starting and storing the first tile.
constexpr double staged_slice_steps = 64, staged_first_tile_steps = 48;
// With fewer invocations a multiprocessor waits more than it computes.
constexpr int64_t busy_invocations = 256;
constexpr double idle_speed = 0.6, fifth_idle_speed = 0.72;

bool lies_along_k(const Contraction& product, const MatmulShader& shader) {
  return a_lies_along_k(product, shader) || b_lies_along_k(product, shader);
}

/// The speed of a tile of which a multiprocessor has so many groups, relative to many. The ninth and the tenth are slow
/// where it has a single group, of however many invocations, and the fifth, whose invocations have few results, where
/// it has two.
double share_of_speed(int64_t groups, const MatmulTile& tile, size_t number) {
  const int64_t invocations = groups * tile.invocations();
  const bool single_is_slow = number == 8 || number == 9;
  if (invocations < (single_is_slow ? 2 : 1) * busy_invocations) return idle_speed;
  return number == 4 && groups < 3 ? fifth_idle_speed : 1;
}

/// Groups of a tile at full speed that take a multiprocessor as long as so many.
double groups_at_full_speed(int64_t groups, const MatmulTile& tile, size_t number, bool along_k) {
  if (!has_large_results(number)) return static_cast<double>(groups) / share_of_speed(groups, tile, number);
  const int64_t rest = groups % (along_k ? resident_groups_along_k : resident_large_groups);
  const double speed = rest < 3 ? speed_of_few_groups[static_cast<size_t>(rest)] : 1;
  return static_cast<double>(groups - rest) + static_cast<double>(rest) / speed;
}

/// The multiplications of a multiprocessor's tiles in turn.
double staged_time_of(const Target& target, const Contraction& product, const MatmulShader& shader,
                      const MatmulTile& tile, size_t number, int64_t chunks) {
  const bool along_k = lies_along_k(product, shader);
  const int64_t groups = ceil_divide(tiles_of(product, tile) * chunks, multiprocessors_of(target));
  const double steps = static_cast<double>(product.k()) / static_cast<double>(chunks) +
                       (tile.slices > 1 ? staged_slice_steps : 0) + (number == 0 ? staged_first_tile_steps : 0);
  const auto partials = static_cast<double>(product.m() * product.n() * chunks);
  const double adding = chunks == 1 ? 0
                                    : multiplications_of_a_staged_partial * partials +
                                          dispatches_of_adding(chunks) * multiplications_of_staged_adding;
  return groups_at_full_speed(groups, tile, number, along_k) * static_cast<double>(tile.m() * tile.n()) * steps /
             (along_k ? along_k_speeds : staged_speeds)[number] +
         adding;
}

/// Chunks of k that fill the device where a tile each leaves much of it idle. Of staged operands, whose groups wait
/// longer for memory, a multiprocessor should have two, or as many of small ones as keep it busy.
int64_t chunks_that_fill(int64_t multiprocessors, const MatmulTile& tile, int64_t tiles, int64_t most) {
  const int64_t groups = std::max<int64_t>(2, busy_invocations / tile.invocations());
  return tiles > multiprocessors ? 1 : std::clamp<int64_t>(groups * multiprocessors / tiles, 1, most);
}

}  // namespace

TileInChunks staged_in_chunks(const Target& target, const Contraction& product, const MatmulShader& shader,
                              const MatmulTile& tile, size_t number) {
  const int64_t most = std::clamp<int64_t>(product.k() / shortest_chunk, 1, most_chunks);
  const auto timed = [&](int64_t chunks) {
    return TileInChunks{tile, chunks, staged_time_of(target, product, shader, tile, number, chunks)};
  };
  if (!has_large_results(number)) {
    const int64_t chunks = chunks_that_fill(multiprocessors_of(target), tile, tiles_of(product, tile), most);
    const TileInChunks all = timed(chunks), fewer = timed(std::min(chunks, chunks_added_at_once));
    return all.time < fewer.time ? all : fewer;
  }
  TileInChunks best = timed(1);
  for (int64_t chunks = 2; chunks <= most; chunks = next_chunks(target, chunks))
    if (const TileInChunks tried = timed(chunks); tried.time < best.time) best = tried;
  return best;
}

}  // namespace eglantine::lower
