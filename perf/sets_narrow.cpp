#include "perf/sets.hpp"

namespace eglantine::perf {

namespace {

/// Works of one narrow float.
Works half_works(DType dtype, int64_t n, int64_t side) {
  return {copy_work(n, dtype),
          exp_work(n, dtype),
          mul_work(n, dtype),
          sum_work(n, dtype),
          softmax_work({side, side}, dtype),
          transpose_work(side, dtype),
          sum_axis_work({side, side}, 0, dtype),
          sum_axis_work({side, side}, 1, dtype),
          cast_work(n, dtype, DType::f32),
          cast_work(n, DType::f32, dtype)};
}

Works byte_works(int64_t n) {
  return {copy_work(n, DType::u8), mul_work(n, DType::u8), sum_work(n, DType::u8),
          copy_work(n, DType::i8), mul_work(n, DType::i8), scaled_work(n)};
}

/// A matrix of weights (rows, inputs) times one vector and times eight, and eight rows times its transpose.
Works vector_products(int64_t rows, int64_t inputs) {
  Works works;
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32})
    append(works, {matmul_work(rows, inputs, 1, dtype), matmul_work(rows, inputs, 8, dtype),
                   matmul_rows_work(8, inputs, rows, dtype)});
  return works;
}

/// f16, bf16, i8 and u8.
Works narrow_works(int64_t n, int64_t side) {
  Works works = half_works(DType::f16, n, side);
  append(works, half_works(DType::bf16, n, side));
  append(works, byte_works(n));
  return works;
}

}  // namespace

Works narrow_smoke() {
  Works works = narrow_works(power(12), 64);
  append(works, vector_products(64, 64));
  works.push_back(scaled_product_work(64, 64));
  return works;
}

Works narrow_set(bool software) {
  Works works = software ? narrow_works(power(22), 2048) : narrow_works(power(28), 16384);
  if (software) {
    append(works, vector_products(1024, 1024));
    works.push_back(scaled_product_work(1024, 1024));
    return works;
  }
  append(works, vector_products(4096, 4096));
  append(works, vector_products(14336, 4096));
  append(works, vector_products(4096, 14336));
  append(works, vector_products(128256, 2048));
  works.push_back(scaled_product_work(14336, 4096));
  return works;
}

}  // namespace eglantine::perf
