#pragma once

#include "backend/cpu/evaluator.hpp"
#include "backend/cpu/thread_pool.hpp"
#include "graph/kernel.hpp"

/// The kernel families. Each runs its kernel on the pool's threads and returns when it is done.
namespace eglantine::cpu {

/// Elements worth a piece of their own: below this, waking a thread costs more than the work.
inline constexpr int64_t piece_elements = 16384;

/// The number of items, each costing about `elements_per_item`, that are worth a piece.
inline int64_t grain(int64_t elements_per_item) {
  return std::max<int64_t>(1, piece_elements / std::max<int64_t>(1, elements_per_item));
}

void run_map(const MapKernel& kernel, ThreadPool& pool);
void run_reduce(const ReduceKernel& kernel, ThreadPool& pool);
void run_arg_reduce(const ReduceKernel& kernel, ThreadPool& pool);
void run_matmul(const MatmulKernel& kernel, ThreadPool& pool);

/// out[i] = consumer(core[i]). core may be out's own memory: every element is read before it is written.
void run_consumer(const Program& consumer, const Word* core, const Elements& out, ThreadPool& pool);

/// c (m, n, contiguous) = a b for 32-bit integers, modulo 2^32, the same bits for i32 and u32. a is (m, k), b is (k, n),
/// any strides.
struct Matrix {
  const Word* data;
  int64_t row_stride, column_stride;
};
void multiply_integers(const Matrix& a, const Matrix& b, Word* c, int64_t m, int64_t n, int64_t k);

}  // namespace eglantine::cpu
