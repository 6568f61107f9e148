#include "lower/contraction/schedule/speeds.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "layout/divide.hpp"
#include "lower/contraction/joined_chunks.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/staged_speeds.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

/// The speed of each known tile of the hardware form where it fills the device, relative to the first one on its best
/// operands (medians over products of many sizes on an H100, row-major ones on an H200; docs/performance-notes.md). The
/// eleventh and twelfth are for staged operands (staged_speeds.cpp), and whole for both operands mn-major, as they were
/// measured. The next four are for few rows or columns; the first of them was measured in row-major order, the others
/// are reckoned by what they read of shared memory for each multiplication. The next is for few rows of staged
/// operands, the one after it for 65 to 96 rows or columns, of which others multiply 128: reckoned in the same way. The
/// next two have one buffer: fitted to 104 products of two seeds on an H200, and 3 % less, against what the model errs.
/// The last is for staged operands.
constexpr TileSpeeds row_major_speeds{1.0,  0.79, 0.87, 0.74, 0.85, 0.89, 0.75, 0.9,  0.73,  0.7, 0.7,
                                      0.65, 0.72, 0.55, 0.5,  0.5,  0.4,  0.8,  0.95, 0.965, 0.3};
constexpr TileSpeeds k_major_speeds{0.87, 0.73, 0.81, 0.74, 0.71, 0.84, 0.7,  0.8,   0.74,  0.73, 0.7,
                                    0.65, 0.6,  0.55, 0.5,  0.5,  0.4,  0.75, 0.825, 0.835, 0.3};
// Both operands mn-major, read by vec4 and one by one; the ninth of the latter of 811 x 1057 x 2049, 1500 x 777 x 1333
// and 513 x 2049 x 1025 on an H200, a copied, took 0.76 to 0.88.
constexpr TileSpeeds mn_major_speeds{0.67, 0.62, 0.48, 0.7, 0.87, 0.68, 0.67, 0.78, 1.05, 1.02, 1.08,
                                     1.07, 0.6,  0.55, 0.5, 0.5,  0.4,  0.9,  0.93, 0.98, 0.3};
constexpr TileSpeeds single_mn_major_speeds{0.97, 0.53, 0.71, 0.4, 0.75, 0.51, 0.71, 0.5,  0.8,  0.6, 0.7,
                                            0.65, 0.5,  0.45, 0.4, 0.4,  0.4,  0.7,  0.94, 0.94, 0.3};
// Other operands that are read one by one. The fourth on an H200: 608 x 1075 x 2053 took nearly twice as long as 0.6
// said, longer than with copies of both operands.
constexpr TileSpeeds single_speeds{0.8,  0.72, 0.68, 0.42, 0.56, 0.85, 0.62, 0.66, 0.54, 0.5, 0.7,
                                   0.65, 0.5,  0.45, 0.4,  0.4,  0.4,  0.72, 0.78, 0.78, 0.3};
/// How many groups of each tile a multiprocessor has at a time, and how many of those it runs in the time of one alone:
/// with fewer it waits for memory.
constexpr std::array<int64_t, 21> resident_groups{2, 1, 2, 4, 5, 2, 2, 4, 2, 2, 3, 3, 4, 6, 12, 24, 8, 3, 4, 4, 2};
constexpr TileSpeeds groups_in_time_of_one{2,   1, 2, 2, 5, 2,   2,   2.6, 1.4, 1.4, 2.3,
                                           2.3, 2, 3, 6, 8, 4.6, 2.3, 2.3, 2.3, 2};
// Of the eighth, of whole products in row-major order beside other calls, whose groups fill what it leaves idle. The
// third, of the same results, is as fast where calls wait (us on an H200, third and eighth, calls that overlap and that
// wait: 1024 x 1024 x 1024 51.0 and 49.2, 59.2 and 60.3; 640 x 2500 x 1600 128 and 117, 136 and 140; 764 x 276 x 1320
// 18.0 and 15.7, 24.6 and 23.9), and faster in chunks, whose sum waits for the multiprocessor with most groups.
constexpr size_t eighth = 7;
constexpr double groups_of_the_eighth_beside_others = 2;
// Multiplications equal in time to writing a partial result of a chunk and reading it again, and to the dispatch that
// adds them up.
constexpr double multiplications_of_a_partial = 0.4, multiplications_of_adding = 4e6;
// The same where groups join their chunks: beside the sums of other groups, but for the last ones.
constexpr double multiplications_of_joining = 7.5e5;
// Of one buffer: how many groups in turn a multiprocessor takes longer for them than for its share, since one that ends
// makes room for the next at once, and the last ones run alone.
constexpr double last_joined_groups = 0.5;
constexpr std::array<double, 2> joined_speeds{0.98, 1.06};  // of the two tiles, beside the others of theirs
// Chunks of one length are preferred: in steps of transformers, where other products run beside them, 16 even ones took
// less time than 11 that are whole rounds of groups, though more alone (docs/performance-notes.md). Not where groups
// join them.
constexpr double uneven_chunks = 1.1, uneven_joined_chunks = 1.02;
// Of one buffer, where narrow elements are read one by one.
constexpr double narrow_singles = 0.88;
constexpr size_t first_of_one_buffer = 18;
// k steps equal in time to adding up a tile's slices, and to starting and storing a tile: the first, and others.
constexpr double slice_steps = 64, first_tile_steps = 48, tile_steps = 16;
// The same of one buffer; the second is shared by the rounds of groups, of which later ones begin while others
// multiply.
constexpr double one_buffer_steps = 32, first_round_steps = 16;

const TileSpeeds& speeds_of(const Contraction& product, const MatmulShader& shader) {
  const bool singles = one_by_one(shader.a) || one_by_one(shader.b);
  if (a_is_mn_major(product, shader) && b_is_mn_major(product, shader))
    return singles ? single_mn_major_speeds : mn_major_speeds;
  if (singles) return single_speeds;
  return shader.b == MatmulRead::mn_major ? row_major_speeds : k_major_speeds;
}

bool reads_narrow_singles(const Contraction& product, const MatmulShader& shader) {
  return (one_by_one(shader.a) && is_narrow(product.a.storage)) ||
         (one_by_one(shader.b) && is_narrow(product.b.storage));
}

/// Groups one after the other that take a multiprocessor as long as its share of `groups`. in_time_of_one: as above.
double groups_in_turn(const Target& target, int64_t groups, size_t tile, double in_time_of_one) {
  const int64_t share = ceil_divide(groups, multiprocessors_of(target));
  const auto rounds = static_cast<double>(ceil_divide(share, resident_groups[tile]));
  return std::max(static_cast<double>(share), rounds * in_time_of_one);
}

double in_time_of_one(const Contraction& product, const MatmulShader& shader, size_t number, int64_t chunks,
                      Calls calls) {
  const bool whole = chunks == 1 && !product.of_chunks;
  const bool fills = calls == Calls::overlap && whole && shader.in_row_major() && number == eighth;
  return fills ? groups_of_the_eighth_beside_others : groups_in_time_of_one[number];
}

/// To start and to store a tile, in k steps.
double starting_steps(const Target& target, const MatmulTile& tile, size_t number, int64_t groups) {
  if (tile.buffers > 1) return number == 0 ? first_tile_steps : tile_steps;
  const auto rounds = static_cast<double>(groups) / static_cast<double>(groups_of_a_round(target, number));
  return one_buffer_steps + first_round_steps / std::max(1.0, rounds);
}

bool joins(const Contraction& product, const MatmulTile& tile, int64_t chunks) {
  return may_join(tile, tiles_of(product, tile), chunks);
}

/// The same of a product's groups, whose chunks may be joined.
double groups_in_turn(const Target& target, const Contraction& product, const MatmulShader& shader,
                      const MatmulTile& tile, size_t number, int64_t chunks, Calls calls) {
  const int64_t groups = tiles_of(product, tile) * chunks;
  const double alone = in_time_of_one(product, shader, number, chunks, calls);
  if (tile.buffers > 1 || !joins(product, tile, chunks)) return groups_in_turn(target, groups, number, alone);
  const double share = static_cast<double>(groups) / static_cast<double>(multiprocessors_of(target));
  return std::max(share + last_joined_groups, alone) / joined_speeds[number - first_of_one_buffer];
}

double unevenness(const Contraction& product, const MatmulTile& tile, int64_t chunks) {
  if (chunks == 1 || cuts_evenly(product.k(), chunks)) return 1;
  return joins(product, tile, chunks) ? uneven_joined_chunks : uneven_chunks;
}

double adding_time(const Contraction& product, const MatmulTile& tile, int64_t chunks) {
  if (chunks == 1) return 0;
  if (joins(product, tile, chunks))
    return multiplications_of_joining * std::bit_width(static_cast<uint64_t>(chunks - 1));
  const auto partials = static_cast<double>(product.m() * product.n() * product.batches() * chunks);
  return multiplications_of_a_partial * partials + dispatches_of_adding(chunks) * multiplications_of_adding;
}

/// In multiplications of a multiprocessor at the first tile's speed.
double time_of(const Target& target, const Contraction& product, const MatmulShader& shader, const MatmulTile& tile,
               size_t number, int64_t chunks, Calls calls) {
  const double results =
      groups_in_turn(target, product, shader, tile, number, chunks, calls) * static_cast<double>(tile.m() * tile.n());
  const double steps = static_cast<double>(product.k()) / static_cast<double>(chunks) +
                       (tile.slices > 1 ? slice_steps : 0) +
                       starting_steps(target, tile, number, tiles_of(product, tile) * chunks);
  const double narrow = tile.buffers == 1 && reads_narrow_singles(product, shader) ? narrow_singles : 1;
  return results / (speeds_of(product, shader)[number] * narrow) * steps * unevenness(product, tile, chunks) +
         adding_time(product, tile, chunks);
}

/// Chunks of the eleventh and twelfth, for gradients of weights, take less time alone than those of the ninth, but made
/// a step of the smaller of two transformers longer, where other products run beside them (docs/performance-notes.md).
bool is_taken_whole(size_t number) { return number == 10 || number == 11; }

/// The tile of 96 x 96 is for lengths that others round up to 128. Among lengths that fill others its speed, which was
/// not measured, decides for nothing. That of 64 x 192 is for gradients of the weights of up to 64 channels.
bool suits(const Contraction& product, const MatmulTile& tile) {
  if (tile.n() == 192) return product.m() <= 64;
  const auto is_between = [](int64_t length) { return length > 64 && length <= 96; };
  return tile.m() != 96 || is_between(product.m()) || is_between(product.n());
}

}  // namespace

int64_t next_chunks(const Target& target, int64_t chunks) {
  if (chunks < chunks_added_at_once) return chunks + 1;
  const int64_t multiprocessors = multiprocessors_of(target);
  return (chunks / multiprocessors + 1) * multiprocessors;
}

bool cuts_evenly(int64_t k, int64_t chunks) { return k % (4 * chunks) == 0; }

int64_t tiles_of(const Contraction& product, const MatmulTile& tile) {
  return ceil_divide(product.m(), tile.m()) * ceil_divide(product.n(), tile.n()) * product.batches();
}

TileInChunks in_chunks(const Target& target, const Contraction& product, const MatmulShader& shader,
                       const MatmulTile& tile, size_t number, Calls calls) {
  const auto timed = [&](int64_t chunks) {
    return TileInChunks{tile, chunks, time_of(target, product, shader, tile, number, chunks, calls)};
  };
  if (shader.stages()) return staged_in_chunks(target, product, shader, tile, number);
  TileInChunks best = timed(1);
  if (product.batch_rank >= most_batch_axes || is_taken_whole(number)) return best;
  const int64_t most = std::min(most_chunks, product.k() / shortest_chunk);
  for (int64_t chunks = 2; chunks <= most; chunks = next_chunks(target, chunks))
    if (const TileInChunks tried = timed(chunks); tried.time < best.time) best = tried;
  return best;
}

int64_t groups_of_a_round(const Target& target, size_t number) {
  return multiprocessors_of(target) * resident_groups[number];
}

std::optional<TileInChunks> quickest_tile(const Target& target, const Contraction& product, const MatmulShader& shader,
                                          Calls calls) {
  const std::vector<MatmulTile>& tiles = known_tiles(false);
  std::optional<TileInChunks> best;
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (!tiles[i].fits(target) || !suits(product, tiles[i]) || !tiles[i].reads(shader)) continue;
    const TileInChunks tried = in_chunks(target, product, shader, tiles[i], i, calls);
    if (!best || tried.time < best->time) best = tried;
  }
  return best;
}

}  // namespace eglantine::lower
