#include "lower/contraction/outer.hpp"

#include "lower/contraction/reads.hpp"
#include "lower/contraction/speeds.hpp"

namespace eglantine::lower {
namespace {

// 64 elements of b, of four columns, are in an invocation's registers. For fewer steps than 27 an H200 writes results
// longer than it multiplies (60 TFLOP/s, 4.4 TB/s).
constexpr int64_t most_outer_steps = 16;
// Fewer leave half of a subgroup's columns past the last.
constexpr int64_t fewest_outer_columns = 64;
constexpr int outer_lanes = 32, outer_lines = 8, outer_columns = 4, many_rows = 16, few_rows = 4;

MatmulTile tile_of(const Contraction& product, int rows) {
  return {MatmulForm::outer, rows, outer_columns, outer_lanes, outer_lines, 1, static_cast<int>(product.k())};
}

}  // namespace

std::optional<MatmulShader> in_outer_products(const Target& target, const Contraction& product,
                                              const MatmulShader& shader) {
  if (product.k() > most_outer_steps || product.n() < fewest_outer_columns ||
      target.max_invocations < outer_lanes * outer_lines)
    return std::nullopt;
  // Where all groups run at once, a row more takes as long as another group.
  const int64_t resident = target.resident_invocations / (outer_lanes * outer_lines);
  const bool many = tiles_of(product, tile_of(product, many_rows)) >= resident;
  const MatmulTile tile = tile_of(product, many ? many_rows : few_rows);
  if (tiles_of(product, tile) < multiprocessors_of(target)) return std::nullopt;
  MatmulShader outer = shader;
  tile.apply_to(outer);
  outer.saves_registers = outer.a_along_k = outer.b_along_k = outer.bare_barrier = false;
  if (outer.a != MatmulRead::k_major) outer.a = MatmulRead::single;
  const bool vectors = vectors_along(product.out.layout, product.n_axis());
  if (outer.b != MatmulRead::mn_major || !vectors) outer.b = MatmulRead::single;
  outer.a_mn_major = false;
  outer.b_mn_major = true;
  return outer;
}

}  // namespace eglantine::lower
