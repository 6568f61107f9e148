#include <cblas.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "backend/cpu/families/families.hpp"

namespace eglantine::cpu {

namespace {

// k is cut into steps of this many words when an operand must be copied, which bounds the copy.
constexpr int64_t copied_words = int64_t{1} << 24;
// A narrow operand is widened while the caches hold what becomes of it, but not in fewer steps than BLAS packs.
constexpr int64_t widened_words = int64_t{1} << 18, fewest_steps = 256;
constexpr int64_t steps_of_blas = int64_t{1} << 30;  // otherwise k is only cut to fit the 32-bit integers of BLAS
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

BlasMatrix transposed(const BlasMatrix& form) {
  return {form.transpose == CblasNoTrans ? CblasTrans : CblasNoTrans, form.leading};
}

// From one element of a single column to the next.
int64_t increment(const BlasMatrix& column) { return column.transpose == CblasNoTrans ? column.leading : 1; }

// to[i * columns + j] = the word of x's element (i, j).
void copy_words(const Matrix& x, int64_t rows, int64_t columns, Word* to) {
  with_memory(x.storage, x.data, [&](const auto* from) {
    for (int64_t i = 0; i < rows; ++i) gather_run(from + i * x.row_stride, x.column_stride, to + i * columns, columns);
  });
}

// The operand itself, or a copy of it, row-major or column-major as it is closer to.
struct BlasOperand {
  BlasOperand(const Matrix& x, int64_t rows, int64_t columns) : form(blas_form(x, rows, columns)) {
    data = reinterpret_cast<const float*>(x.data);
    if (form.leading != 0 && !x.is_narrow()) return;
    copy = Words(rows * columns);
    data = reinterpret_cast<const float*>(copy.data());
    if (std::abs(x.row_stride) < std::abs(x.column_stride)) {
      form = {CblasTrans, rows};
      copy_words(x.transposed(), columns, rows, copy.data());
    } else {
      form = {CblasNoTrans, columns};
      copy_words(x, rows, columns, copy.data());
    }
  }

  BlasMatrix form;
  const float* data;
  Words copy{0};
};

blasint blas_int(int64_t value) { return static_cast<blasint>(value); }

// Packs `steps` rows of tile_columns columns of b from `column` on; zeros beyond n.
void pack_columns(const GemmArguments& p, int64_t step, int64_t steps, int64_t column, Word* to) {
  pack(p.b.at(step, column), steps, std::min(tile_columns, p.n - column), tile_columns, to);
}

void pack_rows(const GemmArguments& p, int64_t step, int64_t steps, int64_t row, Word* to) {
  pack(p.a.at(row, step).transposed(), steps, std::min(tile_rows, p.m - row), tile_rows, to);
}

// How many steps of k are multiplied at once.
int64_t steps_of(const GemmArguments& p) {
  const int64_t longest = std::max(p.m, p.n);
  if (p.a.is_narrow() || p.b.is_narrow()) return std::max(fewest_steps, widened_words / longest);
  const bool copies = blas_form(p.a, p.m, p.k).leading == 0 || blas_form(p.b, p.k, p.n).leading == 0;
  return copies ? std::max<int64_t>(1, copied_words / longest) : steps_of_blas;
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

// c[i c_stride] += the sum over k of a(i, k) x[k increment], from 0 on where `fresh`. sgemm would pack the matrix,
// which takes several times as long as reading it (1024 x 1024: 0.71 ms, and 0.28 so).
void add_times_vector(const BlasMatrix& form, const float* a, int64_t m, int64_t k, const float* x, int64_t increment,
                      Word* c, int64_t c_stride, bool fresh) {
  for (int64_t i = 0; fresh && i < m; ++i) c[i * c_stride] = 0;
  const bool rows = form.transpose == CblasNoTrans;
  cblas_sgemv(CblasRowMajor, form.transpose, blas_int(rows ? m : k), blas_int(rows ? k : m), 1.0f, a,
              blas_int(form.leading), x, blas_int(increment), 1.0f, reinterpret_cast<float*>(c), blas_int(c_stride));
}

}  // namespace

void pack(const Matrix& x, int64_t rows, int64_t columns, int64_t width, Word* to) {
  // Along the axis in which the elements lie side by side.
  const bool by_columns = x.column_stride != 1 && x.row_stride == 1;
  with_memory(x.storage, x.data, [&](const auto* from) {
    for (int64_t j = 0; by_columns && j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i) to[i * width + j] = computed_bits(from[i + j * x.column_stride]);
    for (int64_t i = 0; !by_columns && i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        to[i * width + j] = computed_bits(from[i * x.row_stride + j * x.column_stride]);
    for (int64_t j = columns; j < width; ++j)
      for (int64_t i = 0; i < rows; ++i) to[i * width + j] = 0;
  });
}

OneBlasThread::OneBlasThread() : before_(openblas_get_num_threads()) { openblas_set_num_threads(1); }
OneBlasThread::~OneBlasThread() { openblas_set_num_threads(before_); }

void multiply_floats(const GemmArguments& p) {
  // Rows of c further apart than BLAS can express are multiplied one by one.
  if (p.m > 1 && p.c_stride > std::numeric_limits<blasint>::max()) {
    for (int64_t row = 0; row < p.m; ++row)
      multiply_floats({p.a.at(row, 0), p.b, p.c + row * p.c_stride, p.n, 1, p.n, p.k});
    return;
  }
  const int64_t steps = steps_of(p);
  for (int64_t step = 0; step < p.k; step += steps) {
    const int64_t k = std::min(steps, p.k - step);
    const BlasOperand a(p.a.at(0, step), p.m, k), b(p.b.at(step, 0), k, p.n);
    if (p.n == 1) {
      add_times_vector(a.form, a.data, p.m, k, b.data, increment(b.form), p.c, p.m == 1 ? 1 : p.c_stride, step == 0);
      continue;
    }
    if (p.m == 1) {
      add_times_vector(transposed(b.form), b.data, p.n, k, a.data, increment(transposed(a.form)), p.c, 1, step == 0);
      continue;
    }
    // beta = 0: BLAS does not read c, which may hold NaN.
    cblas_sgemm(CblasRowMajor, a.form.transpose, b.form.transpose, blas_int(p.m), blas_int(p.n), blas_int(k), 1.0f,
                a.data, blas_int(a.form.leading), b.data, blas_int(b.form.leading), step == 0 ? 0.0f : 1.0f,
                reinterpret_cast<float*>(p.c), blas_int(p.c_stride));
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
