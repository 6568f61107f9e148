#include "lower/contraction/schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "graph/kernel/expression.hpp"
#include "layout/collapse.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "layout/reduce_tree.hpp"
#include "layout/split.hpp"
#include "lower/contraction/schedule/few_rows.hpp"
#include "lower/contraction/schedule/fitted.hpp"
#include "lower/contraction/schedule/matrices.hpp"
#include "lower/contraction/schedule/outer.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/contraction/schedule/tuning.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

namespace {

/// The batch axes of an operand.
Layout batches_of(const Layout& x, int rank) {
  return {Shape(x.shape.begin(), x.shape.begin() + rank), {x.strides.begin(), x.strides.begin() + rank}, x.offset};
}

Strided over_domain(const Strided& x, const Layout& batches, const std::array<int64_t, 3>& steps, const Shape& domain) {
  Layout layout{domain, batches.strides, batches.offset};
  layout.strides.insert(layout.strides.end(), steps.begin(), steps.end());
  return {x.buffer, x.storage, layout};
}

constexpr MatmulTile one_step_tile{MatmulForm::tile, 4, 4, 16, 16, 1, MatmulShader::one_step};
// For a smaller k a second dispatch costs more time than it saves.
constexpr int64_t worth_splitting_k = 512;

/// Whether a product is so small that groups with a tile and 64 of its k each are all resident: its time is then one
/// group's wait for memory.
bool fits_in_one_step(const Target& target, const Contraction& product) {
  const int64_t groups = ceil_divide(product.m(), one_step_tile.m()) * ceil_divide(product.n(), one_step_tile.n()) *
                         product.batches() * ceil_divide(product.k(), one_step_tile.depth);
  return !target.software && one_step_tile.fits(target) && groups <= 2 * multiprocessors_of(target);
}

/// Where spilling loop invariants is measured to pay: 0.7 % of the time at 2048 and 4096. Other tiles took up to 10 %
/// more.
bool lacks_registers(const MatmulShader& shader) {
  return shader.form == MatmulForm::tile && shader.rows == 16 && shader.columns == 8 && shader.slices == 1 &&
         shader.depth == 8 && shader.in_row_major();
}

MatmulTile hardware_tile(const Target& target, const Contraction& product, const MatmulShader& shader) {
  if (product.k() <= one_step_tile.depth && fits_in_one_step(target, product)) return one_step_tile;
  const std::optional<TileInChunks> best = quickest_tile(target, product, shader, Calls::overlap);
  return best ? best->tile : known_tiles(false)[2];
}

/// Long runs of multiplications for each load. A group's eight invocations, one SIMD vector, lie side by side as far as
/// the columns go, so that neighbours read and write neighbouring memory (docs/performance-notes.md).
MatmulTile software_tile(const Contraction& product) {
  const int64_t n = product.n();
  const int rows = product.m() >= 16 ? 16 : product.m() >= 8 ? 8 : 4;
  if (rows == 16 && n >= 128 && product.k() >= 32) return {MatmulForm::registers, 16, 16, 8, 1, 1, 8};
  const int columns = n > 16 ? 8 : 4;
  const int local_x = n > 32 ? 8 : n > 8 ? 4 : n > 4 ? 2 : 1;
  return {MatmulForm::registers, rows, columns, local_x, 8 / local_x, 1, 8};
}

/// Tiles of at most 8 x 8 results, as even as they divide the matrix, which invocations of one group take from any
/// batches.
MatmulTile tile_together(const Contraction& product) {
  constexpr int64_t most = 8, many_groups = 16;
  constexpr int large = 32, small = 8;
  const auto even = [](int64_t length) { return static_cast<int>(ceil_divide(length, ceil_divide(length, most))); };
  MatmulTile tile{MatmulForm::registers, even(product.m()), even(product.n()), 1, 1, 1, 8};
  tile.local_x = tiles_of(product, tile) >= many_groups * large ? large : small;
  return tile;
}

/// In multiplications of a vector of invocations on llvmpipe: those of `vectors`, with their reads, and the starts of
/// `groups` (5000 products of 17 x 17 x 17 in groups of their own: 23.5 ms of each of two cores, together 6.2).
int64_t software_time(const MatmulTile& tile, int64_t k, int64_t vectors, int64_t groups) {
  constexpr int64_t start = 6000, read = 6;
  return groups * start + vectors * k * (int64_t{tile.rows} * tile.columns + read * (tile.rows + tile.columns));
}

/// Where one of many matrices leaves most of a group's invocations idle, or takes less time than a group's start.
bool is_faster_together(const Contraction& product, const MatmulShader& shader, const MatmulTile& together) {
  constexpr int64_t lanes = 8;
  const MatmulTile alone = MatmulTile::of(shader);
  const int64_t groups = tiles_of(product, alone);
  MatmulTile one = together;
  one.local_x = 1;
  const int64_t tiles = tiles_of(product, one);
  return product.batches() > 1 &&
         software_time(together, product.k(), ceil_divide(tiles, lanes), ceil_divide(tiles, together.local_x)) <
             software_time(alone, product.k(), groups * ceil_divide(alone.invocations(), lanes), groups);
}

/// On hardware, of matrices whose rows are read by vectors: those of 8 KiB or less that several invocations read, or
/// such as one invocation has whole. They stay in a multiprocessor's cache, which has room for more of them than shared
/// memory has (us on an H200: 30,000 of 16 x 64 x 48 of f16 157, as few columns 448; 80,000 of 16 x 16 x 16 of f32 110,
/// in shared memory 120; 400,000 of 4 x 4 x 4 34 and 57).
std::optional<MatmulShader> small_in_registers(const Target& target, const Contraction& product,
                                               const MatmulShader& shader) {
  constexpr int64_t most_bytes = 8192, one_tile = 8;
  constexpr int invocations = 128;
  const int64_t m = product.m(), n = product.n(), k = product.k();
  const int64_t bytes = k * (m * bytes_of(product.a.storage) + n * bytes_of(product.b.storage));
  const bool suits = std::min(m, n) >= one_tile ? bytes <= most_bytes : std::max({m, n, k}) <= one_tile;
  MatmulTile tile = tile_together(product);
  tile.local_x = 1;
  if (!suits || product.batches() == 1 || !shader.in_row_major() || tile.columns % vector_width != 0 ||
      !vectors_along(product.out.layout, product.n_axis()) || target.max_invocations < invocations ||
      tiles_of(product, tile) < multiprocessors_of(target) * invocations)
    return std::nullopt;
  MatmulShader together = shader;
  tile.local_x = invocations;
  tile.apply_to(together);
  together.batches_together = together.b_mn_major = true;
  together.saves_registers = together.a_along_k = together.b_along_k = together.bare_barrier = together.a_mn_major =
      false;
  return together;
}

/// The structure of a program whose tiles are numbered together, where that is faster.
void number_together(const Contraction& product, MatmulShader& shader) {
  const MatmulTile tile = tile_together(product);
  if (!is_faster_together(product, shader, tile)) return;
  tile.apply_to(shader);
  shader.batches_together = true;
  if (shader.rows % 4 != 0 && shader.a == MatmulRead::mn_major) shader.a = MatmulRead::single;
  if (shader.columns % 4 != 0 && shader.b == MatmulRead::mn_major) shader.b = MatmulRead::single;
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
  if (tuned != nullptr && tuned->form == form && tuned->fits(target) && tuned->reads(shader)) return *tuned;
  return target.software ? software_tile(product) : hardware_tile(target, product, shader);
}

/// Whether results are stored one by one from a tile of b whose vec4s are neighbouring columns.
bool exchanges(const Target& target, const Contraction& product, const MatmulShader& shader) {
  constexpr int64_t lanes = 32;  // of a patch of the tile
  return target.subgroup == lanes && shader.form == MatmulForm::tile && shader.b_mn_major && !shader.b_spread() &&
         product.n() % vector_width != 0;
}

/// At least so many chunks of k, and no shorter one beside them if a few more make that so.
int64_t even_steps(int64_t k, int64_t steps) {
  for (int64_t more = steps; more <= std::min(steps + steps / 2, chunks_added_at_once); ++more)
    if (cuts_evenly(k, more)) return more;
  return steps;
}

/// Outer products of narrow batches wait for what they widen (us on an H200, f16: 17,700 of 256 x 23 x 29 1,246, and
/// fitted 449; 6000 of 100 x 20 x 100 206 and 149).
std::optional<MatmulShader> quicker_than_outer(const Target& target, const Contraction& product,
                                               const MatmulShader& shader) {
  return is_narrow(product.a.storage) ? fitted_to_matrices(target, product, shader) : std::nullopt;
}

}  // namespace

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

bool output_takes_vectors(const Contraction& product, const MatmulShader& shader) {
  return shader.b_mn_major && !shader.b_spread() && shader.columns % 4 == 0 &&
         vectors_along(product.out.layout, product.n_axis());
}

MatmulShader shader_for(const Target& target, const Contraction& product, bool vectors) {
  MatmulShader shader = shader_for(target, product, vectors ? reads_for(target, product) : MatmulReads{});
  if (target.software)
    number_together(product, shader);
  else if (const std::optional<MatmulShader> outer = in_outer_products(target, product, shader))
    shader = (vectors ? quicker_than_outer(target, product, shader) : std::nullopt).value_or(*outer);
  else if (const std::optional<MatmulShader> columns = few_rows_together(target, product, shader))
    shader = *columns;
  else if (const std::optional<MatmulShader> small = small_in_registers(target, product, shader))
    shader = *small;
  else if (const std::optional<MatmulShader> fitted =
               vectors ? fitted_to_matrices(target, product, shader) : std::nullopt)
    shader = *fitted;
  else if (const std::optional<MatmulShader> together = matrices_together(target, product, shader))
    shader = *together;
  shader.vector_store = vectors && output_takes_vectors(product, shader);
  shader.exchanges = exchanges(target, product, shader);
  return shader;
}

MatmulShader shader_for(const Target& target, const Contraction& product, const MatmulReads& reads) {
  MatmulShader shader{.dtype = product.out.dtype(), .a = reads.a, .b = reads.b};
  shader.batch_rank = product.batch_rank;
  choose_tile(target, product, shader).apply_to(shader);
  // On NVIDIA, where memoryBarrierShared() before it costs 1 to 2 %; Mesa needs both.
  shader.bare_barrier = target.forward_progress && shader.form == MatmulForm::tile;
  shader.fused_steps = has_fused_steps(target, product.out.dtype());
  shader.a_along_k = shader.form == MatmulForm::tile && a_lies_along_k(product, shader);
  shader.b_along_k = shader.form == MatmulForm::tile && b_lies_along_k(product, shader);
  const bool once = shader.form == MatmulForm::tile && shader.buffers == 1;
  shader.a_turned = once && !a_is_mn_major(product, shader);
  shader.b_turned = once && !b_is_mn_major(product, shader);
  shader.a_mn_major = once || shader.a_along_k || a_is_mn_major(product, shader);
  shader.b_mn_major = once || shader.b_along_k || target.software || b_is_mn_major(product, shader);
  shader.saves_registers = lacks_registers(shader) && product.out.dtype() == DType::f32 &&
                           stride(product.b.layout, product.k_axis()) != 0 &&
                           int64_t{16} * shader.shared_slots() + 4 * shader.group_size() <= target.max_shared_bytes;
  return shader;
}

bool unrolls_epilogue(const Target& target, DType dtype, const Expr& epilogue) {
  constexpr size_t most = 16;
  if (is_only(epilogue, Op::accumulator)) return true;
  // A precise epilogue keeps products and additions apart.
  if (dtype == DType::f32 && !has_fused_steps(target, dtype)) return false;
  const auto is_long = [&](const Instruction& step) { return takes_many_steps(epilogue, step); };
  return epilogue.code.size() <= most && std::ranges::none_of(epilogue.code, is_long);
}

int64_t splits_of_k(const Target& target, const Contraction& product, const MatmulShader& shader) {
  if (product.batch_rank >= most_batch_axes || shader.form == MatmulForm::matrices || shader.form == MatmulForm::fitted)
    return 1;
  if (target.software) return software_splits(product, shader);
  const int64_t steps = ceil_divide(product.k(), one_step_tile.depth);
  if (product.k() >= worth_splitting_k && steps <= chunks_added_at_once && fits_in_one_step(target, product))
    return even_steps(product.k(), steps);
  const MatmulTile tile = MatmulTile::of(shader);
  const std::vector<MatmulTile>& known = known_tiles(false);
  const auto number = std::find(known.begin(), known.end(), tile) - known.begin();
  if (number == static_cast<int64_t>(known.size())) return 1;
  return in_chunks(target, product, shader, tile, static_cast<size_t>(number), Calls::overlap).chunks;
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
