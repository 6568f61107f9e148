#pragma once

#include "backend/cpu/instructions/evaluator.hpp"
#include "graph/kernel/kernel.hpp"
#include "system/thread_pool.hpp"

/// The kernel families. Each function runs its kernel on the pool's threads and returns when it is done.
namespace eglantine::cpu {

inline constexpr int64_t chunk_elements = 16384;  ///< of the smallest chunk: less work costs less than waking a thread

/// Items of the smallest chunk, where each costs about `elements_per_item`.
inline int64_t grain(int64_t elements_per_item) {
  return std::max<int64_t>(1, chunk_elements / std::max<int64_t>(1, elements_per_item));
}

/// Contiguous rows this short are computed side by side where there are so many: one alone would not fill a vector, and
/// would pay by itself for what they share.
inline constexpr int64_t short_row = 32, fewest_neighbours = 16;
inline bool goes_side_by_side(int64_t rows, int64_t length) { return length <= short_row && rows >= fewest_neighbours; }

void run_map(const MapKernel& kernel, ThreadPool& pool);

/// Rows of a map that are evaluated together: of so many lines so many columns, of the innermost axis.
struct Tile {
  int64_t lines = 0, columns = 0;
  int64_t elements() const { return lines * columns; }
};
/// A map whose last two axes are those of a tile; of one without tiles that is empty.
struct TiledMap {
  MapKernel map;
  Tile tile;
};
/// The kernel as one or a few maps; tiled, to use up cache lines, where an operand or the output is strided innermost.
/// Tiles have at most as many elements as the wanted one.
std::vector<TiledMap> in_tiles(const MapKernel& kernel, const Tile& wanted);

void run_reduce(const ReduceKernel& kernel, ThreadPool& pool);
void run_arg_reduce(const ReduceKernel& kernel, ThreadPool& pool);
void run_matmul(const MatmulKernel& kernel, ThreadPool& pool);
void run_few_columns(const FewColumnsKernel& kernel, ThreadPool& pool);
void run_contraction(const ContractionKernel& kernel, ThreadPool& pool);
void run_attention(const AttentionKernel& kernel, ThreadPool& pool);
void run_attention_gradient(const AttentionGradientKernel& kernel, ThreadPool& pool);
void run_scan(const ScanKernel& kernel, ThreadPool& pool);
void run_row(const RowKernel& kernel, ThreadPool& pool);
void run_sort(const SortKernel& kernel, ThreadPool& pool);
void run_gather(const GatherKernel& kernel, ThreadPool& pool);
void run_search(const GatherKernel& kernel, ThreadPool& pool);  ///< of one that looks up a bound
void run_scatter(const ScatterKernel& kernel, ThreadPool& pool);
void run_compact(const ScatterKernel& kernel, ThreadPool& pool);  ///< of one that is distinct and partial
void run_compaction(const ScatterKernel& kernel, ThreadPool& pool);
void run_tiles(const TileKernel& kernel, ThreadPool& pool);

/// out[i] = epilogue(accumulator[i]). accumulator may alias out: every element is read before it is written.
void run_epilogue(const EvaluatorProgram& epilogue, const Word* accumulator, const Elements& out, ThreadPool& pool);
/// run_epilogue() of elements [begin, end), on this thread.
void apply_epilogue(const EvaluatorProgram& epilogue, const Word* accumulator, const Elements& out, int64_t begin,
                    int64_t end);

/// A matrix in memory: element (i, j) is data[i * row_stride + j * column_stride].
struct Matrix {
  std::byte* data;
  StorageType storage;
  int64_t row_stride, column_stride;

  Matrix moved(int64_t elements) const {
    return {data + elements * bytes_of(storage), storage, row_stride, column_stride};
  }
  Matrix at(int64_t row, int64_t column) const { return moved(row * row_stride + column * column_stride); }
  Matrix transposed() const { return {data, storage, column_stride, row_stride}; }
  bool is_narrow() const { return eglantine::is_narrow(storage); }
};

/// c = a b on one thread: a is (m, k), b is (k, n), any strides; rows of c are c_stride apart (unused for m = 1). m, n,
/// k > 0. The previous contents of c are not read.
struct GemmArguments {
  Matrix a, b;
  Word* c;
  int64_t c_stride, m, n, k;
};
void multiply_floats(const GemmArguments& gemm);
void multiply_integers(const GemmArguments& gemm);  ///< modulo 2^32: the same bits for i32 and u32
/// to[i * width + j] = the word of x's element (i, j) for j < columns, 0 for columns <= j < width.
void pack(const Matrix& x, int64_t rows, int64_t columns, int64_t width, Word* to);

/// While it lives, OpenBLAS uses the calling thread alone: the families distribute their tiles themselves. The setting
/// is process-wide; restored at the end.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_;
};

}  // namespace eglantine::cpu
