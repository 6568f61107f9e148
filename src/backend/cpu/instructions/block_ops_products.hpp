// Part of block_ops_body.hpp: products of floats by fused multiply-adds, which not every instruction set has. Same bits
// in those that have them.

#if defined(EG_F16C)
#if defined(EG_AVX512)
constexpr int product_lanes = 16, product_rows = 8;
#define EG_MULTIPLY_ADD(x, y, z) _mm512_fmadd_ps(_mm512_set1_ps(x), y, z)
#else
constexpr int product_lanes = 8, product_rows = 4;
#define EG_MULTIPLY_ADD(x, y, z) _mm256_fmadd_ps(_mm256_set1_ps(x), y, z)
#endif
using ProductLanes [[gnu::vector_size(product_lanes * sizeof(float))]] = float;
constexpr int product_vectors = 3;  // 24 sums in 32 registers, or 12 in 16

/// The first `count` of the lanes. By value: sums whose address is taken do not stay in registers.
EG_VECTOR inline void store_lanes(Word* to, ProductLanes lanes, int64_t count) {
  if (count >= product_lanes)
    __builtin_memcpy(to, &lanes, sizeof(lanes));
  else if (count > 0)
    __builtin_memcpy(to, &lanes, static_cast<size_t>(count) * sizeof(Word));
}

/// `rows` rows of results from `row` on, in the columns of `vectors` vectors.
template <int rows, int vectors>
EG_VECTOR inline void rows_of_product(const FloatProduct& p, int64_t row, int64_t column) {
  std::array<std::array<ProductLanes, vectors>, rows> sums{};
  const Word* a = p.a + row * p.a_row;
  for (int64_t k = 0; k < p.k; ++k, a += p.a_step) {
    const Word* b = p.b + p.b_rows[k] + column;
    std::array<ProductLanes, vectors> right;
    for (size_t j = 0; j < vectors; ++j) __builtin_memcpy(&right[j], b + j * product_lanes, sizeof(ProductLanes));
    for (size_t i = 0; i < rows; ++i) {
      const float left = element<float>(a[static_cast<int64_t>(i) * p.a_row]);
      for (size_t j = 0; j < vectors; ++j) sums[i][j] = EG_MULTIPLY_ADD(left, right[j], sums[i][j]);
    }
  }
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < vectors; ++j) {
      const int64_t at = column + static_cast<int64_t>(j) * product_lanes;
      store_lanes(p.c + (row + static_cast<int64_t>(i)) * p.c_row + at, sums[i][j], p.n - at);
    }
}

/// The rows from `row` on, as many at once as fit, of the rest half as many.
template <int rows, int vectors>
EG_VECTOR inline void columns_of_product(const FloatProduct& p, int64_t row, int64_t column) {
  for (; row + rows <= p.m; row += rows) rows_of_product<rows, vectors>(p, row, column);
  if constexpr (rows > 1) columns_of_product<rows / 2, vectors>(p, row, column);
}

EG_VECTOR void float_product(const FloatProduct& p) {
  constexpr int64_t columns = product_vectors * product_lanes;
  int64_t column = 0;
  for (; column + columns - product_lanes < p.n; column += columns)
    columns_of_product<product_rows, product_vectors>(p, 0, column);
  if (column + product_lanes < p.n)
    columns_of_product<product_rows, 2>(p, 0, column);
  else if (column < p.n)
    columns_of_product<product_rows, 1>(p, 0, column);
}
#undef EG_MULTIPLY_ADD
constexpr FloatProductBlock product_of_floats = float_product;
#else
constexpr FloatProductBlock product_of_floats = nullptr;
#endif
