#pragma once

#include "layout/layout.hpp"
#include "lower/contraction/matmul_cases.hpp"
#include "lower/contraction/schedule/schedule.hpp"

/// Products on a GPU that is not there: what the schedule chooses, without memory.
namespace eglantine::test {

inline lower::Target gpu_of(int64_t multiprocessors) {
  lower::Target gpu;
  gpu.max_invocations = 1024;
  gpu.max_shared_bytes = 49152;
  gpu.resident_invocations = multiprocessors * 2048;
  return gpu;
}

/// (m, k) x (k, n) in row-major order, or with the first one transposed.
inline lower::Contraction product_of(int64_t m, int64_t n, int64_t k, MatrixOrder order = MatrixOrder::rows) {
  const auto matrix = [](int64_t rows, int64_t columns) {
    return Strided{nullptr, StorageType::f32, layout::contiguous({rows, columns})};
  };
  Strided a = matrix(m, k);
  if (order == MatrixOrder::columns) a.layout.strides = {1, m};
  MatmulKernel kernel;
  kernel.m = m;
  kernel.n = n;
  kernel.k = k;
  kernel.a = a;
  kernel.b = matrix(k, n);
  return lower::products_of(kernel, matrix(m, n)).front();
}

}  // namespace eglantine::test
