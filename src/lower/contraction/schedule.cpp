#include "lower/contraction/schedule.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "graph/expression.hpp"
#include "layout/collapse.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "layout/reduce_tree.hpp"
#include "layout/split.hpp"
#include "lower/contraction/tuning.hpp"

namespace eglantine::lower {

namespace {

constexpr int most_batch_axes = max_rank - 3;

int64_t stride(const Layout& x, int axis) { return x.strides[static_cast<size_t>(axis)]; }

/// The batch axes of an operand.
Layout batches_of(const Layout& x, int rank) {
  return {Shape(x.shape.begin(), x.shape.begin() + rank), {x.strides.begin(), x.strides.begin() + rank}, x.offset};
}

Strided over_domain(const Strided& x, const Layout& batches, const std::array<int64_t, 3>& steps, const Shape& domain) {
  Layout layout{domain, batches.strides, batches.offset};
  layout.strides.insert(layout.strides.end(), steps.begin(), steps.end());
  return {x.buffer, x.storage, layout};
}

/// Whether vec4s can be read along `axis`: stride 1, and every other stride and the offset are multiples of four.
bool vectors_along(const Layout& x, int axis) {
  if (stride(x, axis) != 1 || x.shape[axis] % 4 != 0 || x.offset % 4 != 0) return false;
  for (int i = 0; i < x.shape.rank(); ++i)
    if (i != axis && x.shape[i] > 1 && stride(x, i) % 4 != 0) return false;
  return true;
}

MatmulRead read_of(const Layout& x, int k, int other) {
  return vectors_along(x, k)       ? MatmulRead::k_major
         : vectors_along(x, other) ? MatmulRead::mn_major
                                   : MatmulRead::single;
}

/// Vec4s of a tile lie along the axis that is contiguous in memory.
bool is_mn_major(MatmulRead read, const Layout& x, int k, int other) {
  if (!one_by_one(read)) return read == MatmulRead::mn_major;
  return stride(x, k) != 1 && stride(x, other) == 1;
}

/// The speed of each known tile of the hardware form where it fills the device, relative to the first one on its best
/// operands (medians over products of many sizes on an H100, row-major ones on an H200; docs/performance.md).
using TileSpeeds = std::array<double, 10>;
constexpr TileSpeeds row_major_speeds{1.0, 0.79, 0.87, 0.74, 0.85, 0.89, 0.75, 0.9, 0.73, 0.7};
constexpr TileSpeeds k_major_speeds{0.87, 0.73, 0.81, 0.74, 0.71, 0.84, 0.7, 0.8, 0.74, 0.73};
// Both operands mn-major, read by vec4 and one by one.
constexpr TileSpeeds mn_major_speeds{0.67, 0.62, 0.48, 0.7, 0.87, 0.68, 0.67, 0.78, 1.05, 1.02};
constexpr TileSpeeds single_mn_major_speeds{0.97, 0.53, 0.71, 0.57, 0.75, 0.51, 0.71, 0.5, 0.94, 0.6};
// Other operands that are read one by one.
constexpr TileSpeeds single_speeds{0.8, 0.72, 0.68, 0.6, 0.56, 0.85, 0.62, 0.66, 0.54, 0.5};
/// How many groups of each tile a multiprocessor has at a time, and how many of those it runs in the time of one alone:
/// with fewer it waits for memory.
constexpr std::array<int64_t, 10> resident_groups{2, 1, 2, 4, 5, 2, 2, 4, 2, 2};
constexpr std::array<double, 10> groups_in_time_of_one{2, 1, 2, 2, 5, 2, 2, 2, 1.4, 1.4};
// Of groups of axes with an operand that is staged; with forward and input gradients of convolutions.
constexpr TileSpeeds staged_speeds{1.3, 0.9, 0.8, 0.8, 0.95, 0.95, 0.85, 0.95, 1.0, 1.17};
// Multiplications equal in time to writing a partial result of a chunk and reading it again, and to the dispatch that
// adds them up.
constexpr double multiplications_of_a_partial = 0.4, multiplications_of_adding = 4e6;
constexpr double staged_multiplications_of_a_partial = 0.2;
// A last chunk that is shorter than the others takes a dispatch of its own, beside which the device is less busy.
constexpr double uneven_chunks = 1.1;
// k steps equal in time to adding up a tile's slices, and to starting and storing a tile: the first, and others.
constexpr double slice_steps = 64, first_tile_steps = 48, tile_steps = 16;
constexpr int64_t invocations_of_a_multiprocessor = 2048;
// With fewer invocations a multiprocessor waits more than it computes.
constexpr int64_t busy_invocations = 256;
constexpr double staged_idle_speed = 0.6;

constexpr MatmulTile one_step_tile{MatmulForm::tile, 4, 4, 16, 16, 1, MatmulShader::one_step};
constexpr int64_t shortest_chunk = 128, most_chunks = layout::column_block;  // more take another dispatch to add up
// For a smaller k a second dispatch costs more time than it saves.
constexpr int64_t worth_splitting_k = 512;

int64_t multiprocessors_of(const Target& target) {
  return std::max<int64_t>(1, target.resident_invocations / invocations_of_a_multiprocessor);
}

/// Whether a product is so small that groups with a tile and 64 of its k each are all resident: its time is then one
/// group's wait for memory.
bool fits_in_one_step(const Target& target, const Contraction& product) {
  const int64_t groups = ceil_divide(product.m(), one_step_tile.m()) * ceil_divide(product.n(), one_step_tile.n()) *
                         product.batches() * ceil_divide(product.k(), one_step_tile.depth);
  return !target.software && one_step_tile.fits(target) && groups <= 2 * multiprocessors_of(target);
}

bool both_mn_major(const Contraction& product, const MatmulShader& shader) {
  return is_mn_major(shader.a, product.a.layout, product.k_axis(), product.m_axis()) &&
         is_mn_major(shader.b, product.b.layout, product.k_axis(), product.n_axis());
}

const TileSpeeds& speeds_of(const Contraction& product, const MatmulShader& shader) {
  const bool singles = one_by_one(shader.a) || one_by_one(shader.b);
  if (both_mn_major(product, shader)) return singles ? single_mn_major_speeds : mn_major_speeds;
  if (singles) return single_speeds;
  return shader.b == MatmulRead::mn_major ? row_major_speeds : k_major_speeds;
}

/// The last two tiles are slow where a multiprocessor has a single group, of however many invocations.
int64_t busy_invocations_of(size_t tile) { return tile < 8 ? busy_invocations : 2 * busy_invocations; }

/// Where spilling loop invariants is measured to pay: 0.7 % of the time at 2048 and 4096. Other tiles took up to 10 %
/// more.
bool lacks_registers(const MatmulShader& shader) {
  return shader.form == MatmulForm::tile && shader.rows == 16 && shader.columns == 8 && shader.slices == 1 &&
         shader.depth == 8 && shader.in_row_major();
}

/// Chunks of k that fill the device where a tile each leaves much of it idle. Of staged operands, whose groups wait
/// longer for memory, a multiprocessor should have two.
int64_t staged_splits(const Target& target, int64_t tiles, int64_t k) {
  const int64_t multiprocessors = multiprocessors_of(target);
  if (tiles > multiprocessors) return 1;
  return std::clamp<int64_t>(2 * multiprocessors / tiles, 1, std::clamp<int64_t>(k / shortest_chunk, 1, most_chunks));
}

/// A tile and the chunks that k is cut in.
struct TileInChunks {
  MatmulTile tile;
  int64_t chunks;
  double time;
};

int64_t tiles_of(const Contraction& product, const MatmulTile& tile) {
  return ceil_divide(product.m(), tile.m()) * ceil_divide(product.n(), tile.n()) * product.batches();
}

/// Of staged operands: the multiplications of tiles in turn, slower where they leave a multiprocessor idle.
double staged_time(const Target& target, const Contraction& product, const MatmulTile& tile, size_t number,
                   int64_t chunks) {
  const int64_t groups = ceil_divide(tiles_of(product, tile) * chunks, multiprocessors_of(target));
  const bool busy = groups * tile.invocations() >= busy_invocations_of(number);
  const double speed = staged_speeds[number] * (busy ? 1 : staged_idle_speed);
  const double steps = static_cast<double>(product.k()) / static_cast<double>(chunks) +
                       (tile.slices > 1 ? slice_steps : 0) + (number == 0 ? first_tile_steps : 0);
  const double adding = chunks == 1 ? 0 : static_cast<double>(product.m() * product.n() * chunks);
  return static_cast<double>(groups * tile.m() * tile.n()) / speed * steps +
         staged_multiplications_of_a_partial * adding;
}

/// Groups one after the other that take a multiprocessor as long as its share of `groups`.
double groups_in_turn(const Target& target, int64_t groups, size_t tile) {
  const int64_t share = ceil_divide(groups, multiprocessors_of(target));
  const auto rounds = static_cast<double>(ceil_divide(share, resident_groups[tile]));
  return std::max(static_cast<double>(share), rounds * groups_in_time_of_one[tile]);
}

/// In multiplications of a multiprocessor at the first tile's speed.
double time_of(const Target& target, const Contraction& product, const MatmulShader& shader, const MatmulTile& tile,
               size_t number, int64_t chunks) {
  if (shader.stages()) return staged_time(target, product, tile, number, chunks);
  const double results =
      groups_in_turn(target, tiles_of(product, tile) * chunks, number) * static_cast<double>(tile.m() * tile.n());
  const double steps = static_cast<double>(product.k()) / static_cast<double>(chunks) +
                       (tile.slices > 1 ? slice_steps : 0) + (number == 0 ? first_tile_steps : tile_steps);
  const double partials = static_cast<double>(product.m() * product.n() * product.batches() * chunks);
  const double adding = chunks == 1 ? 0 : multiplications_of_a_partial * partials + multiplications_of_adding;
  const double uneven = chunks == 1 || cuts_evenly(product.k(), chunks) ? 1 : uneven_chunks;
  return results / speeds_of(product, shader)[number] * steps * uneven + adding;
}

/// The number of chunks with the least time.
TileInChunks in_chunks(const Target& target, const Contraction& product, const MatmulShader& shader,
                       const MatmulTile& tile, size_t number) {
  const auto timed = [&](int64_t chunks) {
    return TileInChunks{tile, chunks, time_of(target, product, shader, tile, number, chunks)};
  };
  if (shader.stages()) return timed(staged_splits(target, tiles_of(product, tile), product.k()));
  TileInChunks best = timed(1);
  if (product.batch_rank >= most_batch_axes) return best;
  const int64_t most = std::min(most_chunks, product.k() / shortest_chunk);
  for (int64_t chunks = 2; chunks <= most; ++chunks)
    if (const TileInChunks tried = timed(chunks); tried.time < best.time) best = tried;
  return best;
}

MatmulTile hardware_tile(const Target& target, const Contraction& product, const MatmulShader& shader) {
  if (product.k() <= one_step_tile.depth && fits_in_one_step(target, product)) return one_step_tile;
  const std::vector<MatmulTile>& tiles = known_tiles(false);
  std::optional<TileInChunks> best;
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (!tiles[i].fits(target)) continue;
    const TileInChunks tried = in_chunks(target, product, shader, tiles[i], i);
    if (!best || tried.time < best->time) best = tried;
  }
  return best ? best->tile : tiles[2];
}

/// Long runs of multiplications for each load. A group's eight invocations, one SIMD vector, lie side by side as far as
/// the columns go, so that neighbours read and write neighbouring memory (docs/performance.md).
MatmulTile software_tile(const Contraction& product) {
  const int64_t n = product.n();
  const int rows = product.m() >= 16 ? 16 : product.m() >= 8 ? 8 : 4;
  if (rows == 16 && n >= 128 && product.k() >= 32) return {MatmulForm::registers, 16, 16, 8, 1, 1, 8};
  const int columns = n > 16 ? 8 : 4;
  const int local_x = n > 32 ? 8 : n > 8 ? 4 : n > 4 ? 2 : 1;
  return {MatmulForm::registers, rows, columns, local_x, 8 / local_x, 1, 8};
}

/// Chunks of a long k where few groups would have all the work, as the weights' gradient of a convolution: as many on
/// any number of threads, for the same bits.
int64_t software_splits(const Contraction& product, const MatmulShader& shader) {
  constexpr int64_t few = 4, wanted = 8, shortest = 1024;
  const int64_t tiles = tiles_of(product, MatmulTile::of(shader));
  return tiles >= few ? 1 : std::clamp<int64_t>(wanted / tiles, 1, std::max<int64_t>(1, product.k() / shortest));
}

/// The tile that tuning measured for such products on this device, else that of the tables.
MatmulTile choose_tile(const Target& target, const Contraction& product, const MatmulShader& shader) {
  const MatmulTile* tuned = target.tuning == nullptr ? nullptr : target.tuning->tile_of(class_of(product, shader));
  const MatmulForm form = target.software ? MatmulForm::registers : MatmulForm::tile;
  if (tuned != nullptr && tuned->form == form && tuned->fits(target)) return *tuned;
  return target.software ? software_tile(product) : hardware_tile(target, product, shader);
}

/// At least so many chunks of k, and no shorter one beside them if a few more make that so.
int64_t even_steps(int64_t k, int64_t steps) {
  for (int64_t more = steps; more <= std::min(steps + steps / 2, most_chunks); ++more)
    if (cuts_evenly(k, more)) return more;
  return steps;
}

}  // namespace

bool cuts_evenly(int64_t k, int64_t chunks) { return k % (4 * chunks) == 0; }

ProductClass class_of(const Contraction& product, const MatmulShader& shader) {
  // Tuning knows no staged operands: they are most like those read one by one.
  const auto measured = [](MatmulRead read) { return read == MatmulRead::staged ? MatmulRead::single : read; };
  return class_of(product.m(), product.n(), product.k(), product.batches(), measured(shader.a), measured(shader.b));
}

std::vector<Contraction> products_of(const MatmulKernel& kernel, const Strided& out) {
  const int rank = kernel.batch.rank();
  Layout c = layout::contiguous(kernel.batch, out.layout.offset);
  for (int64_t& step : c.strides) step *= kernel.m * kernel.n;
  std::vector<Layout> batches{batches_of(kernel.a.layout, rank), batches_of(kernel.b.layout, rank), c};
  for (Layout& x : batches) x.shape = kernel.batch;
  if (rank > 0) layout::collapse(batches);
  Contraction product;
  product.domain = rank > 0 ? batches[0].shape : Shape{};
  const bool wide = product.domain.rank() > most_batch_axes;
  const Shape whole = product.domain;
  if (wide) product.domain.erase(0);
  product.batch_rank = product.domain.rank();
  for (int64_t length : {kernel.m, kernel.n, kernel.k}) product.domain.push_back(length);
  const auto steps = [&](const Layout& x, int axis) { return stride(x, rank + axis); };
  const std::array<std::array<int64_t, 3>, 3> inner{{{steps(kernel.a.layout, 0), 0, steps(kernel.a.layout, 1)},
                                                     {0, steps(kernel.b.layout, 1), steps(kernel.b.layout, 0)},
                                                     {kernel.n, 1, 0}}};
  std::vector<Contraction> products;
  for (int64_t i = 0; i < (wide ? whole[0] : 1); ++i) {
    std::vector<Layout> at = batches;
    for (Layout& x : at)
      if (wide) {
        x.offset += i * x.strides[0];
        x.strides.erase(x.strides.begin());
      }
    product.a = over_domain(kernel.a, at[0], inner[0], product.domain);
    product.b = over_domain(kernel.b, at[1], inner[1], product.domain);
    product.out = over_domain({out.buffer, word_storage(kernel.a.dtype()), {}}, at[2], inner[2], product.domain);
    products.push_back(product);
  }
  return products;
}

MatmulReads reads_of(const Contraction& product) {
  const int m = product.m_axis(), n = product.n_axis(), k = product.k_axis();
  return {read_of(product.a.layout, k, m), read_of(product.b.layout, k, n)};
}

MatmulShader shader_for(const Target& target, const Contraction& product, bool vectors) {
  MatmulShader shader = shader_for(target, product, vectors ? reads_of(product) : MatmulReads{});
  shader.vector_store =
      vectors && shader.b_mn_major && !shader.b_spread() && vectors_along(product.out.layout, product.n_axis());
  return shader;
}

MatmulShader shader_for(const Target& target, const Contraction& product, const MatmulReads& reads) {
  const int m = product.m_axis(), n = product.n_axis(), k = product.k_axis();
  MatmulShader shader{.dtype = product.out.dtype(), .a = reads.a, .b = reads.b};
  shader.batch_rank = product.batch_rank;
  choose_tile(target, product, shader).apply_to(shader);
  // On NVIDIA, where memoryBarrierShared() before it costs 1 to 2 %; Mesa needs both.
  shader.bare_barrier = target.forward_progress && shader.form == MatmulForm::tile;
  shader.fused_steps = target.software && product.out.dtype() == DType::f32 && !target.gles;
  shader.a_mn_major = is_mn_major(shader.a, product.a.layout, k, m);
  shader.b_mn_major = target.software || is_mn_major(shader.b, product.b.layout, k, n);
  shader.saves_registers = lacks_registers(shader) && product.out.dtype() == DType::f32 &&
                           stride(product.b.layout, k) != 0 &&
                           int64_t{16} * shader.shared_slots() + 4 * shader.group_size() <= target.max_shared_bytes;
  return shader;
}

int64_t splits_of_k(const Target& target, const Contraction& product, const MatmulShader& shader) {
  if (product.batch_rank >= most_batch_axes) return 1;
  if (target.software) return software_splits(product, shader);
  const int64_t steps = ceil_divide(product.k(), one_step_tile.depth);
  if (product.k() >= worth_splitting_k && steps <= most_chunks && fits_in_one_step(target, product))
    return even_steps(product.k(), steps);
  const MatmulTile tile = MatmulTile::of(shader);
  const std::vector<MatmulTile>& known = known_tiles(false);
  const auto number = std::find(known.begin(), known.end(), tile) - known.begin();
  if (number == static_cast<int64_t>(known.size())) return 1;
  return in_chunks(target, product, shader, tile, static_cast<size_t>(number)).chunks;
}

std::optional<ReduceKernel> as_reduction(const MatmulKernel& kernel) {
  if (kernel.m != 1 && kernel.n != 1) return std::nullopt;
  const int rank = kernel.batch.rank();
  const bool column = kernel.n == 1;
  Shape domain = kernel.batch;
  domain.push_back(column ? kernel.m : kernel.n);
  domain.push_back(kernel.k);
  // a is (batch, m, k) and b (batch, k, n); over (batch, m or n, k) the vector has stride 0 along the kept axis.
  const auto over = [&](const Strided& x, int kept, int reduced) {
    Layout layout{domain, {x.layout.strides.begin(), x.layout.strides.begin() + rank}, x.layout.offset};
    layout.strides.push_back(kept < 0 ? 0 : x.layout.strides[static_cast<size_t>(kept)]);
    layout.strides.push_back(x.layout.strides[static_cast<size_t>(reduced)]);
    return Strided{x.buffer, x.storage, layout};
  };
  const Strided a = over(kernel.a, column ? rank : -1, rank + 1), b = over(kernel.b, column ? -1 : rank + 1, rank);
  ExpressionBuilder builder(domain);
  const int left = builder.load(a), right = builder.load(b);
  builder.operation(Op::mul, a.dtype(), {left, right, -1});
  const layout::ReduceOrder order = layout::reduce_order(domain, {a.layout, b.layout}, {rank + 1});
  ReduceKernel reduce{builder.take(), rank + 1, Reduction::sum, order.tree, kernel.epilogue, kernel.out};
  if (kernel.k == 1) return std::nullopt;  // nothing is reduced
  collapse(reduce);
  return reduce;
}

}  // namespace eglantine::lower
