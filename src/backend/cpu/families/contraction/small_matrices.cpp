#include "backend/cpu/families/contraction/small_matrices.hpp"

#include <algorithm>
#include <utility>

namespace eglantine::cpu {

namespace {

// Words of b, padded: half of a first-level cache; and of rows of a that are widened at once.
constexpr int64_t most_panel_words = 4096, block_words = 4096;
// Of a matrix that a vector is multiplied by, and that has no vectors where they are wanted: BLAS's sgemv is faster at
// more.
constexpr int64_t vector_words = 1024;
// Vectors of sums side by side: with fewer, each addition waits for the one before, longer than BLAS takes to start.
constexpr int64_t fewest_sums = 4, longest_wait = 256;

GemmArguments transposed(const GemmArguments& p) {
  return {p.b.transposed(), p.a.transposed(), p.c, p.m, p.n, p.m, p.k};
}

/// A column whose matrix has vectors along it in memory. Another's rows are multiplied by lanes of which one is used,
/// which takes less time than packing the matrix.
bool is_column(const GemmArguments& p) { return p.n == 1 && p.m > 1 && p.a.row_stride == 1 && !p.a.is_narrow(); }

const Word* words_of(const Matrix& x) { return reinterpret_cast<const Word*>(x.data); }

/// How many rows of b can be read in whole vectors where they lie: what such a vector has beyond a row is of later
/// ones.
int64_t steps_in_place(const Matrix& b, int64_t k, int64_t n) {
  if (b.is_narrow() || (n > 1 && b.column_stride != 1) || b.row_stride < 1) return 0;
  const int64_t beyond = padded_columns(n) - n;
  return std::max<int64_t>(0, k - (beyond + b.row_stride - 1) / b.row_stride);
}

}  // namespace

bool SmallMatrices::suits(const GemmArguments& gemm) {
  const GemmArguments p = is_column(gemm) ? transposed(gemm) : gemm;
  const int64_t words = p.k * padded_columns(p.n), sums = p.m * padded_columns(p.n) / small_product_lanes(p.n);
  if (p.n == 1 && p.m * p.k > vector_words) return false;
  const bool packs_for_one = p.m == 1 && steps_in_place(p.b, p.k, p.n) == 0;
  return words <= (packs_for_one ? vector_words : most_panel_words) && (sums >= fewest_sums || p.k <= longest_wait);
}

SmallMatrices::SmallMatrices(const GemmArguments& gemm, SmallProductBlock multiply)
    : gemm_(is_column(gemm) ? transposed(gemm) : gemm),
      is_column_(is_column(gemm)),
      multiply_(multiply),
      product_{},
      panel_(gemm_.k * padded_columns(gemm_.n)),
      block_(gemm_.a.is_narrow() ? block_words : 0) {
  product_.rest = panel_.data();
  product_.a_row = gemm_.a.row_stride, product_.a_step = gemm_.a.column_stride;
  product_.b_step = gemm_.b.row_stride, product_.steps = steps_in_place(gemm_.b, gemm_.k, gemm_.n);
  product_.n = gemm_.n, product_.k = gemm_.k;
}

void SmallMatrices::run(int64_t a, int64_t b, int64_t c, int64_t m) {
  if (is_column_) std::swap(a, b), m = 1;
  const int64_t rest = product_.k - product_.steps;
  if (rest > 0 && b != packed_)
    pack(gemm_.b.moved(b).at(product_.steps, 0), rest, gemm_.n, padded_columns(gemm_.n), panel_.data());
  packed_ = b;
  product_.b = product_.steps > 0 ? words_of(gemm_.b) + b : panel_.data();
  product_.c = gemm_.c + c;
  if (gemm_.a.is_narrow()) return run_widened(a, m);
  product_.a = words_of(gemm_.a) + a;
  product_.m = m;
  multiply_(product_);
}

void SmallMatrices::run_widened(int64_t a, int64_t m) {
  product_.a = block_.data(), product_.a_row = gemm_.k, product_.a_step = 1;
  const int64_t rows = std::min(m, block_words / gemm_.k);
  for (int64_t row = 0; row < m; row += rows, product_.c += rows * gemm_.n) {
    product_.m = std::min(rows, m - row);
    pack(gemm_.a.moved(a).at(row, 0), product_.m, gemm_.k, gemm_.k, block_.data());
    multiply_(product_);
  }
}

}  // namespace eglantine::cpu
