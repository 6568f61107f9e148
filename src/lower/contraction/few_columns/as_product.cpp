#include "lower/contraction/few_columns/as_product.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "graph/kernel/expression.hpp"
#include "graph/kernel/few_columns.hpp"
#include "lower/contraction/schedule/fitted.hpp"
#include "lower/contraction/schedule/matrices.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

/// Longer matrices are read at the memory's speed, whatever the number of columns.
bool is_small(const FewColumnsSizes& sizes) {
  constexpr int64_t most = 256;
  return sizes.batches > 1 && sizes.rows <= most && sizes.length <= most && sizes.columns > 1 && sizes.rows > 1;
}

/// Whether rows lie side by side and begin anywhere, so that lanes read single elements of them, for many columns each.
/// On an H200 14 columns of 7095 x 2332 take 138 us so, 0.48 TB/s, and 15 of 47 x 777,202 of bf16 446, 0.22; 16 of 4096
/// x 4096, whose rows are whole vectors, 28.
bool reads_many_singly(const FewColumnsKernel& kernel, const FewColumnsSizes& sizes) {
  constexpr int64_t fewest_columns = 9, fewest_elements = int64_t{1} << 22;
  if (sizes.batches > 1 || sizes.columns < fewest_columns || sizes.rows * sizes.length < fewest_elements ||
      !is_only(kernel.prologue, Op::load))
    return false;
  const Layout& matrix = kernel.prologue.operands[0].layout;
  return std::abs(matrix.strides[static_cast<size_t>(kernel.batch_rank)]) == 1 &&
         matrix.strides.back() % vector_width != 0;
}

/// Cycles of a multiprocessor for its share of small matrices, whose lanes each read all columns (us on an H200: 11,705
/// of 38 x 58 x 14 of f16 181; 40,000 of 33 x 40 x 12 of f32 406; 50,000 of 35 x 100 x 5 432; 60,000 of 64 x 36 x 4
/// 218).
double cycles_of_few_columns(const Target& target, const FewColumnsSizes& sizes) {
  constexpr double of_a_product = 0.12;
  return of_a_product * static_cast<double>(sizes.rows * sizes.length * sizes.columns) *
         static_cast<double>(sizes.batches) / static_cast<double>(multiprocessors_of(target));
}

/// Whether groups of matrices leave narrow results to another dispatch.
bool stores_twice(const MatmulShader& shader, const Strided& out) {
  const bool words = shader.results_in_order ? shader.ordered_vectors : shader.vector_store;
  return is_narrow(out.storage) && (shader.form == MatmulForm::matrices || shader.form == MatmulForm::fitted) && !words;
}

/// The same of a product of two matrices, infinite where that is not known. In shared memory and in tiles it takes
/// longer than what they are compared by: small matrices wait for memory, tiles of narrow results have these written
/// twice.
double cycles_of_product(const Target& target, const Contraction& product, const Strided& out) {
  constexpr double of_matrices = 2, of_tiles = 3, of_fitted = 2;
  constexpr int64_t few_rows = 8;
  const MatmulShader shader = shader_for(target, product, true);
  if (stores_twice(shader, out)) return std::numeric_limits<double>::infinity();
  if (shader.form == MatmulForm::matrices) return of_matrices * cycles_in_matrices(target, product);
  // Where matrices in shared memory would do, it was chosen as the quicker form.
  if (shader.form == MatmulForm::fitted)
    return std::min(of_fitted * quickest_fitted(target, product, shader)->cycles,
                    of_matrices * cycles_in_matrices(target, product));
  if (shader.form == MatmulForm::registers && shader.in_row_major() && product.m() > few_rows) return 0;
  const double cycles = shader.form == MatmulForm::tile ? cycles_in_tiles(target, product, shader) : 0;
  return cycles > 0 ? of_tiles * cycles : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<MatmulKernel> as_product(const Target& target, const FewColumnsKernel& kernel) {
  const FewColumnsSizes sizes = sizes_of(kernel);
  if (target.software) return std::nullopt;
  if (reads_many_singly(kernel, sizes)) return as_matmul(kernel);
  if (!is_small(sizes)) return std::nullopt;
  std::optional<MatmulKernel> product = as_matmul(kernel);
  if (!product) return std::nullopt;
  const std::vector<Contraction> products = products_of(*product, product->out);
  if (products.size() != 1 ||
      cycles_of_product(target, products[0], kernel.out) >= cycles_of_few_columns(target, sizes))
    return std::nullopt;
  return product;
}

}  // namespace eglantine::lower
