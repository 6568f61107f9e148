#include "lower/contraction/schedule/outer.hpp"

#include <algorithm>
#include <bit>

#include "layout/divide.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// 64 elements of b, of four columns, are in an invocation's registers. For fewer steps than 27 an H200 writes results
// longer than it multiplies (60 TFLOP/s, 4.4 TB/s).
constexpr int64_t most_outer_steps = 16;
// The results of narrow operands are narrow in most products. Those of tiles are written wide, read by a map and
// written again: ten bytes of memory for two, the time of 32 steps and more. With so many steps b's elements leave a
// multiprocessor the registers of one group.
constexpr int64_t most_narrow_steps = 32;
// Fewer are few columns, which other kernels have.
constexpr int64_t fewest_outer_columns = 9;
// Bytes of a's rows that leave a multiprocessor two groups' shared memory.
constexpr int64_t of_two_groups = 24576;
constexpr int most_outer_lanes = 32, outer_invocations = 256, outer_columns = 4, many_rows = 16, few_rows = 4;

/// Whether a group's rows of a are read once, into shared memory. Read by each invocation at each row, single narrow
/// elements take longer than their products (16,068 x 18 x 63,253 of f16 on an H200 3.1 ms, so 1.7). Of four bytes,
/// rows that several invocations share are too few loads in flight (2,000,000 x 3 x 9: 70 us, so 34; 500,000 x 16 x 48:
/// 85 and 60; but 1,000,000 x 8 x 12, which three share, 32 and 36). At most what leaves a multiprocessor three groups,
/// or as many as have registers for b's elements of many steps.
bool is_worth_sharing(const Target& target, const Contraction& product, const MatmulShader& outer) {
  constexpr int64_t fewest_narrow_steps = 5, fewest_steps = 3, of_three_groups = 16384;
  constexpr int fewest_lanes = 8;
  const int64_t bytes = outer.tile_rows() * round_up(product.k(), vector_width) * bytes_of(product.out.storage);
  const bool takes_longer = is_narrow(product.a.storage)
                                ? outer.a == MatmulRead::single && product.k() >= fewest_narrow_steps
                                : outer.local_x >= fewest_lanes && product.k() >= fewest_steps;
  const int64_t most = product.k() > most_outer_steps ? of_two_groups : of_three_groups;
  return takes_longer && bytes <= std::min(most, target.max_shared_bytes);
}

/// A row of invocations no longer than it takes, so that few are past the last column. Of narrow operands the results
/// may be narrow, too, and rows begin between vectors of memory.
MatmulTile tile_of(const Contraction& product, int rows) {
  const bool fours = vectors_along(product.out.layout, product.n_axis()), narrow = is_narrow(product.a.storage);
  const int64_t columns =
      fours || narrow ? outer_columns : std::min<int64_t>(outer_columns, ceil_divide(product.n(), most_outer_lanes));
  const int64_t before = fours || !narrow ? 0 : vector_width - 1;
  const auto wanted = static_cast<unsigned>(ceil_divide(product.n() + before, columns));
  const int lanes = static_cast<int>(std::min<unsigned>(most_outer_lanes, std::bit_ceil(wanted)));
  return {MatmulForm::outer,         rows, static_cast<int>(columns),    lanes,
          outer_invocations / lanes, 1,    static_cast<int>(product.k())};
}

}  // namespace

std::optional<MatmulShader> in_outer_products(const Target& target, const Contraction& product,
                                              const MatmulShader& shader) {
  const bool narrow = is_narrow(product.a.storage);
  if (product.k() > (narrow ? most_narrow_steps : most_outer_steps) || product.n() < fewest_outer_columns ||
      target.max_invocations < outer_invocations)
    return std::nullopt;
  // An invocation reads b's columns for two rows or more. Of narrow batches, whose groups wait for b at their start and
  // then write half as much, for eight: 260,261 of 71 x 13 x 32 of bf16, two rows each, take 6.9 ms so, and 3.4
  // together; 19,234 of 242 x 15 x 15 of f32 286 us and 444.
  const bool narrow_batches = product.batches() > 1 && narrow;
  if (product.m() < (narrow_batches ? 8 : 2) * tile_of(product, few_rows).local_y) return std::nullopt;
  // Where all groups run at once, a row more takes as long as another group. Of many steps a multiprocessor has one, if
  // its rows of a still fit in shared memory or are read by vectors.
  const int64_t row_bytes = round_up(product.k(), vector_width) * bytes_of(product.out.storage);
  const bool has_one_group =
      product.k() > most_outer_steps &&
      (shader.a == MatmulRead::k_major || tile_of(product, many_rows).m() * row_bytes <= of_two_groups);
  const int64_t resident = has_one_group ? multiprocessors_of(target) : target.resident_invocations / outer_invocations;
  const bool many = tiles_of(product, tile_of(product, many_rows)) >= resident;
  // Of no more rows than there are, which may then fit in shared memory.
  const auto rows = static_cast<unsigned>(ceil_divide(product.m(), tile_of(product, few_rows).local_y));
  const MatmulTile tile =
      tile_of(product, std::min(many ? many_rows : few_rows, static_cast<int>(std::bit_ceil(rows))));
  if (tiles_of(product, tile) < multiprocessors_of(target)) return std::nullopt;
  MatmulShader outer = shader;
  tile.apply_to(outer);
  outer.saves_registers = outer.a_along_k = outer.b_along_k = outer.bare_barrier = false;
  if (outer.a != MatmulRead::k_major) outer.a = MatmulRead::single;
  const bool vectors = vectors_along(product.out.layout, product.n_axis());
  if (outer.b != MatmulRead::k_major && (outer.b != MatmulRead::mn_major || !vectors)) outer.b = MatmulRead::single;
  // A row of narrow results is half as many bytes on their way, or a quarter, while the next row's elements are
  // awaited. Of many steps these would take the registers of b's.
  outer.rows_at_once = narrow && product.k() <= most_outer_steps ? 2 : 1;
  outer.a_mn_major = false;
  outer.b_mn_major = true;
  outer.a_in_shared = is_worth_sharing(target, product, outer);
  return outer;
}

bool stores_rows_anywhere(const MatmulKernel& kernel, const Contraction& product, const MatmulShader& shader) {
  // Four columns lie in one row of the results' domain.
  const Shape& domain = kernel.epilogue.domain;
  const bool in_rows = domain[domain.rank() - 1] % product.n() == 0;
  return shader.form == MatmulForm::outer && !shader.vector_store && shader.columns == outer_columns &&
         is_narrow(kernel.out.storage) && kernel.out.layout.is_contiguous() && in_rows &&
         shader.local_y % vector_width == 0;
}

}  // namespace eglantine::lower
