#include "lower/contraction/schedule/few_rows.hpp"

#include "lower/contraction/schedule/reads.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// An element of b takes a load of a for each row, which neighbours share: of more rows these take longer than b's.
constexpr int64_t most_rows = 8;
// Of fewer columns the invocations of a subgroup read b from many places; of a longer k, whose results are few beside
// it, other kernels read b once for all.
constexpr int64_t fewest_columns = 32, most_steps = 32;
constexpr int row_invocations = 128;

MatmulTile column_tile(const Contraction& product, int columns) {
  return {MatmulForm::registers, static_cast<int>(product.m()), columns, row_invocations, 1, 1, 8};
}

}  // namespace

std::optional<MatmulShader> few_rows_together(const Target& target, const Contraction& product,
                                              const MatmulShader& shader) {
  if (product.batches() == 1 || product.m() > most_rows || product.n() < fewest_columns || product.k() > most_steps ||
      stride(product.b.layout, product.n_axis()) != 1 || target.max_invocations < row_invocations)
    return std::nullopt;
  const bool fours = shader.b == MatmulRead::mn_major && vectors_along(product.b.layout, product.n_axis()) &&
                     vectors_along(product.out.layout, product.n_axis());
  // Narrow results are stored by whole words.
  if (is_narrow(product.a.storage) && !fours) return std::nullopt;
  const int columns = fours ? 4 : 1;
  if (product.batches() * product.n() / columns < multiprocessors_of(target) * row_invocations) return std::nullopt;
  MatmulShader together = shader;
  column_tile(product, columns).apply_to(together);
  together.batches_together = true;
  together.saves_registers = together.a_along_k = together.b_along_k = together.bare_barrier = false;
  if (together.a != MatmulRead::k_major) together.a = MatmulRead::single;
  together.b = fours ? MatmulRead::mn_major : MatmulRead::single;
  together.a_mn_major = false;
  together.b_mn_major = true;
  return together;
}

}  // namespace eglantine::lower
