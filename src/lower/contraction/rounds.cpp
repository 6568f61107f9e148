#include "lower/contraction/rounds.hpp"

#include <numeric>

#include "layout/divide.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

// A second dispatch, in multiplications of a multiprocessor; how much longer its rows take than the model of tiles
// says, since what begins beside other groups waits for them; and what the model does not know
// (docs/performance-notes.md).
constexpr double multiplications_of_a_dispatch = 1e6, time_of_a_rest = 1.3, worth_two_dispatches = 0.95;

Contraction with_rows(Contraction product, int64_t count) {
  product.domain[product.m_axis()] = count;
  for (Strided* x : {&product.a, &product.b, &product.out}) x->layout.shape = product.domain;
  return product;
}

double time_of_rows(const Target& target, const Contraction& product, const MatmulShader& shader, int64_t count) {
  return quickest_tile(target, with_rows(product, count), shader)->time;
}

/// The rows whose tiles are whole rounds, down to a multiple of unit.
int64_t rows_in_rounds(const Target& target, const Contraction& product, const MatmulTile& tile, size_t number,
                       int64_t unit) {
  const int64_t across = ceil_divide(product.n(), tile.n()), round = groups_of_a_round(target, number);
  const int64_t rounds = tiles_of(product, tile) / round, step = std::lcm(unit, tile.m());
  return rounds * round / across * tile.m() / step * step;
}

/// Elements of the epilogue's domain behind each coordinate of its first axis.
int64_t behind_first_axis(const Expr& epilogue) { return epilogue.domain.elements() / epilogue.domain[0]; }

}  // namespace

int64_t rows_of_whole_rounds(const Target& target, const Contraction& product, int64_t unit) {
  const MatmulReads reads = reads_for(target, product);
  const MatmulShader shader{.dtype = product.out.dtype(), .a = reads.a, .b = reads.b};
  const std::optional<TileInChunks> whole = quickest_tile(target, product, shader);
  if (!whole || whole->chunks > 1 || product.batches() > 1) return 0;
  double least = worth_two_dispatches * whole->time - multiplications_of_a_dispatch;
  int64_t best = 0;
  for (size_t i = 0; i < known_tiles(false).size(); ++i) {
    const MatmulTile& tile = known_tiles(false)[i];
    if (!tile.fits(target)) continue;
    const int64_t rows = rows_in_rounds(target, product, tile, i, unit);
    if (rows == 0 || rows >= product.m() || rows == best) continue;
    const double time = time_of_rows(target, product, shader, rows) +
                        time_of_a_rest * time_of_rows(target, product, shader, product.m() - rows);
    if (time < least) least = time, best = rows;
  }
  return best;
}

int64_t unit_of_rows(const MatmulKernel& kernel) {
  const int64_t behind = behind_first_axis(kernel.epilogue);
  return behind / std::gcd(behind, kernel.n);
}

MatmulKernel rows_of(const MatmulKernel& kernel, int64_t first, int64_t count) {
  MatmulKernel part = kernel;
  const int rank = kernel.batch.rank();
  part.m = part.a.layout.shape[rank] = count;
  part.a.layout.offset += first * stride(kernel.a.layout, rank);
  layout::Box box{kernel.epilogue.domain, kernel.epilogue.domain};
  std::fill(box.start.begin(), box.start.end(), 0);
  const int64_t behind = behind_first_axis(kernel.epilogue);
  box.start[0] = first * kernel.n / behind;
  box.length[0] = count * kernel.n / behind;
  restrict_to(part.epilogue, box);
  restrict_to(part.out, box);
  return part;
}

}  // namespace eglantine::lower
