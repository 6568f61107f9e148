#include "lower/contraction/schedule/fitted_division.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/divide.hpp"
#include "lower/contraction/schedule/reads.hpp"

namespace eglantine::lower {
namespace {

constexpr int columns_each = 4;
constexpr int64_t most_elements = 4096;  ///< of shared memory
constexpr int64_t fewest_invocations = 64, most_invocations = 384;

int64_t invocations_of(const MatmulShader& shader) {
  return int64_t{shader.matrices} * shader.local_x * shader.local_y;
}

/// By vectors along k where these are vectors of memory, or along the lines; of narrow lines wherever those begin. Else
/// one by one: to join vectors of words takes longer (us on an H200, 16,860 of 61 x 121 x 23 of f32 425, and 323).
MatmulRead read_of(const Strided& x, int line, int k) {
  if (vectors_begin_along(x.layout, k)) return MatmulRead::k_major;
  const bool along = stride(x.layout, line) == 1 && stride(x.layout, k) != 1;
  return along && (is_narrow(x.storage) || vectors_begin_along(x.layout, line)) ? MatmulRead::mn_major
                                                                                : MatmulRead::single;
}

bool begins_anywhere(const Layout& x, MatmulRead read, int line) {
  return read == MatmulRead::mn_major && !vectors_begin_along(x, line);
}

/// Lines of a k in shared memory. Invocations that load along k write to an odd number of fours further each, so that
/// they do so to different banks.
int pitch_of(int lines, bool along_k) {
  const int fours = lines / 4;
  return 4 * (along_k && fours % 2 == 0 ? fours + 1 : fours);
}

/// Whether the results of every group, in their order, are whole vectors of memory.
bool stores_whole_vectors(const Contraction& product, const Division& by) {
  const int64_t results = product.m() * product.n(), along = results * product.domain[product.batch_rank - 1];
  return by.matrices * results % vector_width == 0 && (product.batch_rank == 1 || along % vector_width == 0);
}

void count(Loads& loads, const MatmulShader& fitted, MatmulRead read, int lines) {
  const int64_t steps = read == MatmulRead::k_major ? fitted.depth / 4 : fitted.depth,
                units = ceil_divide(int64_t{fitted.matrices} * (lines / 4) * steps, fitted.group_size());
  (read == MatmulRead::single ? loads.singles : loads.vectors) += units * (read == MatmulRead::mn_major ? 1 : 4);
  loads.units += units;
}

}  // namespace

MatmulShader divided(const Contraction& product, const MatmulShader& shader, const Division& by) {
  MatmulShader fitted = shader;
  const int64_t m = ceil_divide(product.m(), by.down), n = ceil_divide(product.n(), by.across);
  const MatmulTile tile{MatmulForm::fitted,
                        by.rows,
                        columns_each,
                        static_cast<int>(ceil_divide(n, columns_each)),
                        static_cast<int>(ceil_divide(m, by.rows)),
                        1,
                        by.depth};
  tile.apply_to(fitted);
  const Layout &a = product.a.layout, &b = product.b.layout;
  fitted.a = read_of(product.a, product.m_axis(), product.k_axis());
  fitted.b = read_of(product.b, product.n_axis(), product.k_axis());
  fitted.a_anywhere = begins_anywhere(a, fitted.a, product.m_axis());
  fitted.b_anywhere = begins_anywhere(b, fitted.b, product.n_axis());
  fitted.a_along_k = std::abs(stride(a, product.k_axis())) == 1;
  fitted.b_along_k = std::abs(stride(b, product.k_axis())) == 1;
  fitted.a_lines = pitch_of(fitted.tile_rows(), fitted.a_along_k);
  fitted.b_lines = pitch_of(fitted.tile_columns(), fitted.b_along_k);
  fitted.matrices = by.matrices;
  fitted.shared_elements = by.matrices * by.depth * (fitted.a_lines + fitted.b_lines);
  fitted.saves_registers = fitted.bare_barrier = fitted.a_mn_major = false;
  fitted.b_mn_major = true;
  fitted.results_in_order = !vectors_along(product.out.layout, product.n_axis());
  fitted.ordered_vectors = fitted.results_in_order && stores_whole_vectors(product, by);
  return fitted;
}

bool suits(const Target& target, const Contraction& product, const MatmulShader& fitted, const Division& by) {
  // More loads than that, with their addresses, leave few invocations of a multiprocessor their registers.
  constexpr int64_t most_singles = 16;
  const int64_t invocations = invocations_of(fitted);
  if (fitted.results_in_order && by.across > 1) return false;
  return loads_of(fitted).singles <= most_singles && invocations >= fewest_invocations &&
         invocations <= most_invocations && fitted.group_size() <= target.max_invocations &&
         int64_t{by.down} * by.across <= target.max_groups &&
         fitted.shared_elements <= std::min(most_elements, target.max_shared_bytes / 4) &&
         by.matrices < 2 * product.domain[product.batch_rank - 1];
}

Loads loads_of(const MatmulShader& fitted) {
  Loads loads;
  count(loads, fitted, fitted.a, fitted.tile_rows());
  count(loads, fitted, fitted.b, fitted.tile_columns());
  return loads;
}

}  // namespace eglantine::lower
