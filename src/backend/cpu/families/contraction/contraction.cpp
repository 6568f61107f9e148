#include "graph/kernel/contraction.hpp"

#include <algorithm>

#include "backend/cpu/families/families.hpp"

namespace eglantine::cpu {

namespace {

// Of a tile, whose sides a thread evaluates into memory of its own: large enough that multiplying takes most of the
// time, small enough for the second-level cache.
constexpr int64_t most_lines = 192, most_steps = 1024;
// Few tiles of long sums are cut along these into so many tasks, which occupy that many threads.
constexpr int64_t fewest_tasks = 16;

/// One side of the product: rows or columns, its lines, times what is summed over.
struct Side {
  Side(const Expr& expr, int kept, int64_t of_batch, int64_t summed)
      : lines_last(lies_along_kept(expr, kept)),
        program(lines_last ? turned(expr, 0, kept) : expr),
        lines(of_batch),
        length(summed),
        all_lines(expr.domain.elements() / summed),
        tile(std::min(most_lines, of_batch)) {}

  bool lines_last;
  EvaluatorProgram program;
  int64_t lines, length, all_lines;  ///< lines of a batch, of all
  int64_t tile;                      ///< lines of a tile
  int64_t tiles() const { return (lines + tile - 1) / tile; }
};

/// A thread's tile of a side.
class SideTile {
 public:
  SideTile(const Side& side, int64_t steps) : side_(side), evaluator_(side.program), values_(side.tile * steps) {}

  /// Lines [first, first + lines) of a batch, and of them k to k + steps, as a matrix of (lines, steps).
  Matrix read(int64_t batch, int64_t first, int64_t lines, int64_t k, int64_t steps) {
    const int64_t line = batch * side_.lines + first;
    if (side_.lines_last) {
      for (int64_t i = 0; i < steps; ++i) read((k + i) * side_.all_lines + line, lines, values_.data() + i * lines);
      return matrix(1, lines);
    }
    for (int64_t i = 0; i < lines; ++i) read((line + i) * side_.length + k, steps, values_.data() + i * steps);
    return matrix(steps, 1);
  }

 private:
  void read(int64_t start, int64_t count, Word* to) {
    for (int64_t at = 0, some = 0; at < count; at += some) {
      some = side_.program.span(start + at, start + count);
      evaluator_(start + at, some, nullptr, to + at);
    }
  }
  Matrix matrix(int64_t line_stride, int64_t step_stride) {
    return {reinterpret_cast<std::byte*>(values_.data()), StorageType::f32, line_stride, step_stride};
  }

  const Side& side_;
  Evaluator evaluator_;
  Words values_;
};

struct ContractionTask {
  explicit ContractionTask(const ContractionKernel& kernel)
      : sizes(kernel),
        left(kernel.left, kernel.left_kept, kernel.rows, kernel.length),
        right(kernel.right, kernel.right_kept, kernel.columns, kernel.length),
        steps(std::min(most_steps, kernel.length)),
        depth(depth_of_part(kernel.length, kernel.batches * left.tiles() * right.tiles())),
        multiply(kernel.left.dtype() == DType::f32 ? multiply_floats : multiply_integers),
        add(reduction_blocks(Reduction::sum, kernel.left.dtype())) {}

  /// By the sizes alone, so that the same sums have the same bits on any number of threads.
  static int64_t depth_of_part(int64_t length, int64_t tiles) {
    const int64_t parts = std::min((fewest_tasks + tiles - 1) / tiles, (length + most_steps - 1) / most_steps);
    const int64_t rounds = (length + most_steps * parts - 1) / (most_steps * parts);
    return parts == 1 ? length : rounds * most_steps;
  }
  int64_t tiles() const { return sizes.batches * left.tiles() * right.tiles(); }
  int64_t parts() const { return (sizes.length + depth - 1) / depth; }
  int64_t results() const { return sizes.batches * sizes.rows * sizes.columns; }

  const ContractionKernel& sizes;
  Side left, right;
  int64_t steps, depth;  ///< of a tile, of a part
  void (*multiply)(const GemmArguments& gemm);
  ReductionBlocks add;
};

/// One thread's part of a product.
class Worker {
 public:
  explicit Worker(const ContractionTask& task)
      : task_(task),
        left_(task.left, task.steps),
        right_(task.right, task.steps),
        products_(task.right.tile * task.left.tile) {}

  /// Tile `number` in the order of parts, batches, row tiles, column tiles. Parts have results of their own.
  void multiply(int64_t number, Word* results) {
    const int64_t part = number / task_.tiles();
    multiply(number % task_.tiles(), part * task_.depth, results + part * task_.results());
  }

 private:
  void multiply(int64_t number, int64_t first, Word* results) {
    const Side &left = task_.left, &right = task_.right;
    const int64_t column = number % right.tiles() * right.tile, row = number / right.tiles() % left.tiles() * left.tile,
                  batch = number / right.tiles() / left.tiles();
    const int64_t rows = std::min(left.tile, left.lines - row), columns = std::min(right.tile, right.lines - column);
    Word* to = results + (batch * left.lines + row) * right.lines + column;
    const int64_t end = std::min(left.length, first + task_.depth);
    for (int64_t k = first; k < end; k += task_.steps) {
      const int64_t steps = std::min(task_.steps, end - k);
      const bool starts = k == first;
      const Matrix a = left_.read(batch, row, rows, k, steps), b = right_.read(batch, column, columns, k, steps);
      const GemmArguments gemm{
          a, b.transposed(), starts ? to : products_.data(), starts ? right.lines : columns, rows, columns, steps};
      task_.multiply(gemm);
      for (int64_t i = 0; !starts && i < rows; ++i)
        task_.add.accumulate(to + i * right.lines, products_.data() + i * columns, columns);
    }
  }

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
  const ContractionTask task(kernel);
  const Words results(task.parts() * task.results());
  const OneBlasThread one;
  const int64_t work = task.left.tile * task.right.tile * task.steps;
  pool.parallel_for(task.parts() * task.tiles(), grain(work), [&](int64_t begin, int64_t end) {
    Worker worker(task);
    for (int64_t i = begin; i < end; ++i) worker.multiply(i, results.data());
  });
  add_parts(task, results.data(), pool);
  run_epilogue(EvaluatorProgram(kernel.epilogue), results.data(), Elements(kernel.out), pool);
}

}  // namespace eglantine::cpu
