#include <cblas.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "backend/cpu/families/families.hpp"

namespace eglantine::cpu {

namespace {

// k is cut into steps of this many words when an operand must be copied, which bounds the copy.
constexpr int64_t copied_words = int64_t{1} << 24;
constexpr int64_t most_steps = int64_t{1} << 30;  // otherwise k is only cut to fit the 32-bit integers of BLAS
// Panel sizes of the integer product: the packed operands stay in the caches.
constexpr int64_t integer_steps = 256, integer_columns = 512;

struct BlasMatrix {
  CBLAS_TRANSPOSE transpose;
  int64_t leading;  ///< the leading dimension; 0 where BLAS cannot express the strides
};

// BLAS takes a matrix with one stride of 1 and another, the leading dimension, of at least a whole row (or column); the
// stride of an axis of length 1 is unused. Broadcast, flipped and overlapping matrices do not fit.
BlasMatrix blas_form(const Matrix& x, int64_t rows, int64_t columns) {
  const auto fits = [](int64_t inner, int64_t inner_length, int64_t outer, int64_t outer_length) {
    return (inner == 1 || inner_length == 1) &&
           (outer_length == 1 || (outer >= inner_length && outer <= std::numeric_limits<blasint>::max()));
  };
  if (fits(x.column_stride, columns, x.row_stride, rows)) return {CblasNoTrans, rows == 1 ? columns : x.row_stride};
  if (fits(x.row_stride, rows, x.column_stride, columns)) return {CblasTrans, columns == 1 ? rows : x.column_stride};
  return {CblasNoTrans, 0};
}

// The operand itself, or a row-major copy of it.
struct BlasOperand {
  BlasOperand(const Matrix& x, int64_t rows, int64_t columns) : form(blas_form(x, rows, columns)) {
    data = reinterpret_cast<const float*>(x.data);
    if (form.leading != 0) return;
    copy = Words(rows * columns);
    form.leading = columns;
    Word* to = copy.data();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) *to++ = *x.at(i, j).data;
    data = reinterpret_cast<const float*>(copy.data());
  }

  BlasMatrix form;
  const float* data;
  Words copy{0};
};

blasint blas_int(int64_t value) { return static_cast<blasint>(value); }

// Packs `steps` rows of tile_columns columns of b from `column` on; zeros beyond n.
void pack_columns(const GemmArguments& p, int64_t step, int64_t steps, int64_t column, Word* to) {
  for (int64_t i = 0; i < steps; ++i)
    for (int64_t j = 0; j < tile_columns; ++j) *to++ = column + j < p.n ? *p.b.at(step + i, column + j).data : 0;
}

void pack_rows(const GemmArguments& p, int64_t step, int64_t steps, int64_t row, Word* to) {
  for (int64_t i = 0; i < steps; ++i)
    for (int64_t j = 0; j < tile_rows; ++j) *to++ = row + j < p.m ? *p.a.at(row + j, step + i).data : 0;
}

// Adds a tile's sums over `steps` of k to the part of c that it covers.
void add_tile(const GemmArguments& p, IntegerTile multiply, const Word* a, const Word* b, int64_t steps, int64_t row,
              int64_t column) {
  Word tile[tile_rows * tile_columns] = {};
  multiply(tile, a, b, steps);
  for (int64_t i = 0; i < std::min(tile_rows, p.m - row); ++i)
    for (int64_t j = 0; j < std::min(tile_columns, p.n - column); ++j)
      p.c[(row + i) * p.c_stride + column + j] += tile[i * tile_columns + j];
}

}  // namespace

void multiply_floats(const GemmArguments& p) {
  const bool copies = blas_form(p.a, p.m, p.k).leading == 0 || blas_form(p.b, p.k, p.n).leading == 0;
  // Rows of c further apart than BLAS can express are multiplied one by one.
  if (p.m > 1 && p.c_stride > std::numeric_limits<blasint>::max()) {
    for (int64_t row = 0; row < p.m; ++row)
      multiply_floats({p.a.at(row, 0), p.b, p.c + row * p.c_stride, p.n, 1, p.n, p.k});
    return;
  }
  const int64_t steps = copies ? std::max<int64_t>(1, copied_words / std::max(p.m, p.n)) : most_steps;
  for (int64_t step = 0; step < p.k; step += steps) {
    const int64_t k = std::min(steps, p.k - step);
    const BlasOperand a(p.a.at(0, step), p.m, k), b(p.b.at(step, 0), k, p.n);
    // beta = 0: BLAS does not read c, which may hold NaN.
    cblas_sgemm(CblasRowMajor, a.form.transpose, b.form.transpose, blas_int(p.m), blas_int(p.n), blas_int(k), 1.0f,
                a.data, blas_int(a.form.leading), b.data, blas_int(b.form.leading), step == 0 ? 0.0f : 1.0f,
                reinterpret_cast<float*>(p.c), blas_int(p.m == 1 ? p.n : p.c_stride));
  }
}

// Panels of b stay in L2, of a in L1: Goto, van de Geijn, "Anatomy of high-performance matrix multiplication" (2008).
void multiply_integers(const GemmArguments& p) {
  const IntegerTile multiply = integer_tile();
  for (int64_t row = 0; row < p.m; ++row) std::fill_n(p.c + row * p.c_stride, p.n, 0);
  std::vector<Word> columns(static_cast<size_t>(integer_steps * integer_columns)),
      rows(static_cast<size_t>(integer_steps * tile_rows));
  for (int64_t left = 0; left < p.n; left += integer_columns)
    for (int64_t step = 0; step < p.k; step += integer_steps) {
      const int64_t steps = std::min(integer_steps, p.k - step), right = std::min(p.n, left + integer_columns);
      for (int64_t column = left; column < right; column += tile_columns)
        pack_columns(p, step, steps, column, columns.data() + (column - left) * steps);
      for (int64_t row = 0; row < p.m; row += tile_rows) {
        pack_rows(p, step, steps, row, rows.data());
        for (int64_t column = left; column < right; column += tile_columns)
          add_tile(p, multiply, rows.data(), columns.data() + (column - left) * steps, steps, row, column);
      }
    }
}

}  // namespace eglantine::cpu
