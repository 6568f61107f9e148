#include <algorithm>

#include "backend/cpu/families/contraction/contraction_side.hpp"
#include "graph/kernel/contraction.hpp"
#include "layout/divide.hpp"

namespace eglantine::cpu {

namespace {

// Of a tile, whose sides a thread has in memory of its own: large enough that multiplying takes most of the time, small
// enough for the second-level cache. BLAS copies what it multiplies, which fewer steps would repeat.
constexpr int64_t most_steps = 1024, most_steps_of_rows = 512;
// Few tiles of long sums are cut along these into so many tasks, which occupy that many threads.
constexpr int64_t fewest_tasks = 16;

struct ContractionTask {
  explicit ContractionTask(const ContractionKernel& kernel)
      : sizes(kernel),
        block(reads_rows(kernel) ? float_product_block() : nullptr),
        left(kernel.left, kernel.left_kept, kernel.rows, kernel.length, false),
        right(kernel.right, kernel.right_kept, kernel.columns, kernel.length, block != nullptr),
        depth(depth_of_part(kernel.length, kernel.batches * left.tiles() * right.tiles())),
        steps(steps_of_tile(depth, block != nullptr ? most_steps_of_rows : most_steps)),
        multiply(kernel.left.dtype() == DType::f32 ? multiply_floats : multiply_integers),
        add(reduction_blocks(Reduction::sum, kernel.left.dtype())),
        in_place(block != nullptr && right.is_read_in_place(kernel.rows)) {}

  /// Whether the right side's tiles have neighbouring columns side by side, as registers want them; BLAS would copy
  /// each into an order of its own.
  static bool reads_rows(const ContractionKernel& kernel) {
    return kernel.left.dtype() == DType::f32 && lies_along_kept(kernel.right, kernel.right_kept);
  }
  /// By the sizes alone, so that the same sums have the same bits on any number of threads.
  static int64_t depth_of_part(int64_t length, int64_t tiles) {
    const int64_t parts = std::min((fewest_tasks + tiles - 1) / tiles, (length + most_steps - 1) / most_steps);
    const int64_t rounds = (length + most_steps * parts - 1) / (most_steps * parts);
    return parts == 1 ? length : rounds * most_steps;
  }
  /// As even as they divide a part.
  static int64_t steps_of_tile(int64_t depth, int64_t most) { return ceil_divide(depth, ceil_divide(depth, most)); }
  int64_t tiles() const { return sizes.batches * left.tiles() * right.tiles(); }
  int64_t parts() const { return (sizes.length + depth - 1) / depth; }
  int64_t results() const { return sizes.batches * sizes.rows * sizes.columns; }

  const ContractionKernel& sizes;
  FloatProductBlock block;  ///< null where multiply() does it
  ContractionSide left, right;
  int64_t depth, steps;  ///< of a part, of a tile
  void (*multiply)(const GemmArguments& gemm);
  ReductionBlocks add;
  bool in_place;  ///< the right side is multiplied where it lies, as far as its vectors do not pass the end of memory
};

/// One thread's part of a product.
class Worker {
 public:
  explicit Worker(const ContractionTask& task)
      : task_(task),
        left_(task.left, task.steps),
        right_(task.right, task.steps),
        products_(task.steps < task.depth ? task.right.tile() * task.left.tile() : 0) {}

  /// Tile `number` in the order of parts, batches, row tiles, column tiles. Parts have results of their own.
  void multiply(int64_t number, Word* results) {
    const int64_t part = number / task_.tiles();
    multiply(number % task_.tiles(), part * task_.depth, results + part * task_.results());
  }

 private:
  void multiply(int64_t number, int64_t first, Word* results) {
    const ContractionSide &left = task_.left, &right = task_.right;
    const int64_t column_tile = number % right.tiles(), row_tile = number / right.tiles() % left.tiles(),
                  batch = number / right.tiles() / left.tiles();
    const int64_t column = right.first(column_tile), row = left.first(row_tile);
    const int64_t rows = left.first(row_tile + 1) - row, columns = right.first(column_tile + 1) - column;
    Word* to = results + (batch * left.lines() + row) * right.lines() + column;
    const int64_t end = std::min(task_.sizes.length, first + task_.depth);
    for (int64_t k = first; k < end; k += task_.steps) {
      const int64_t steps = std::min(task_.steps, end - k);
      const bool starts = k == first;
      const Matrix a = left_.read(batch, row, rows, k, steps);
      Word* sums = starts ? to : products_.data();
      const int64_t c_row = starts ? right.lines() : columns;
      if (!multiply_in_place(a, {batch, column, columns, k, steps}, sums, c_row, rows))
        multiply({a, right_.read(batch, column, columns, k, steps).transposed(), sums, c_row, rows, columns, steps});
      for (int64_t i = 0; !starts && i < rows; ++i)
        task_.add.accumulate(to + i * right.lines(), products_.data() + i * columns, columns);
    }
  }

  void multiply(const GemmArguments& p) {
    if (task_.block == nullptr) return task_.multiply(p);
    task_.block({words(p.a), words(p.b), right_.step_offsets(p.b.row_stride, p.k), p.c, p.a.row_stride,
                 p.a.column_stride, p.c_stride, p.m, p.n, p.k});
  }

  struct RightTile {
    int64_t batch, column, columns, k, steps;
  };
  bool multiply_in_place(const Matrix& a, const RightTile& b, Word* sums, int64_t c_row, int64_t rows) {
    if (!task_.in_place) return false;
    const std::vector<SideTile::Run>& runs = right_.runs(b.batch, b.column, b.columns, b.k, b.steps);
    for (const SideTile::Run& run : runs)
      task_.block({words(a), run.data, right_.step_offsets(), sums + run.position, a.row_stride, a.column_stride, c_row,
                   rows, run.length, b.steps});
    return !runs.empty();
  }

  static const Word* words(const Matrix& x) { return reinterpret_cast<const Word*>(x.data); }

  const ContractionTask& task_;
  SideTile left_, right_;
  Words products_;
};

/// Adds the other parts' results to the first part's, in their order.
void add_parts(const ContractionTask& task, Word* results, ThreadPool& pool) {
  pool.parallel_for(task.parts() > 1 ? task.results() : 0, grain(task.parts()), [&](int64_t begin, int64_t end) {
    for (int64_t part = 1; part < task.parts(); ++part)
      task.add.accumulate(results + begin, results + part * task.results() + begin, end - begin);
  });
}

}  // namespace

void run_contraction(const ContractionKernel& kernel, ThreadPool& pool) {
  ContractionTask task(kernel);
  task.left.prepare(task.right.tiles(), pool);
  const Words results(task.parts() * task.results());
  const OneBlasThread one;
  const int64_t work = task.left.tile() * task.right.tile() * task.steps;
  pool.parallel_for(task.parts() * task.tiles(), grain(work), [&](int64_t begin, int64_t end) {
    Worker worker(task);
    for (int64_t i = begin; i < end; ++i) worker.multiply(i, results.data());
  });
  add_parts(task, results.data(), pool);
  run_epilogue(EvaluatorProgram(kernel.epilogue), results.data(), Elements(kernel.out), pool);
}

}  // namespace eglantine::cpu
