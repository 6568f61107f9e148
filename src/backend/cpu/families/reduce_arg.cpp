#include <algorithm>

#include "backend/cpu/families/reduce.hpp"

// argmax and argmin: the first of equal values, the first NaN. The result is exact, so any order that keeps ties in
// order works; the kernel's tree only selects the access pattern: contiguous along the reduced or along the kept axes.
namespace eglantine::cpu {

namespace {

struct ArgReduceTask {
  ArgReduceTask(const ReduceKernel& kernel, const Expr& order)
      : blocks(arg_blocks(kernel.reduction, kernel.prologue.dtype())),
        prologue(order),
        epilogue(kernel.epilogue),
        out(kernel.out),
        sizes(sizes_of(kernel)) {}

  ArgBlocks blocks;
  EvaluatorProgram prologue, epilogue;
  Elements out;
  ReduceSizes sizes;
};

// The best of reduced elements [begin, end) of one kept coordinate, and its index.
struct Best {
  Word value, index;
};
Best best_of(const ArgReduceTask& task, Evaluator& prologue, int64_t row, int64_t begin, int64_t end) {
  const int64_t base = row * task.sizes.reduced;
  Best best{*prologue(base + begin, 1), static_cast<Word>(begin)};
  for (int64_t at = begin, count = 0; at < end; at += count) {
    count = task.prologue.span(base + at, base + end);
    task.blocks.scan(prologue(base + at, count), count, static_cast<Word>(at), best.value, best.index);
  }
  return best;
}

// With too few rows for the threads, rows are cut into chunks, whose results merge in order.
void reduce_rows(const ArgReduceTask& task, ThreadPool& pool, Word* results) {
  const int64_t kept = task.sizes.kept, length = task.sizes.reduced;
  const int64_t wanted = kept >= 4 * pool.threads() ? 1 : 4 * pool.threads();
  const int64_t chunks = std::clamp<int64_t>(length / chunk_elements, 1, wanted);
  const int64_t chunk_length = (length + chunks - 1) / chunks;
  std::vector<Best> best(static_cast<size_t>(kept * chunks));
  pool.parallel_for(kept * chunks, grain(chunk_length), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = std::min(i % chunks * chunk_length, length - 1);
      best[static_cast<size_t>(i)] = best_of(task, prologue, i / chunks, at, std::min(length, at + chunk_length));
    }
  });
  for (int64_t row = 0; row < kept; ++row) {
    Best* first = best.data() + row * chunks;
    for (int64_t i = 1; i < chunks; ++i)
      task.blocks.merge(&first->value, &first->index, &first[i].value, &first[i].index, 1);
    results[row] = first->index;
  }
}

void reduce_columns(const ArgReduceTask& task, ThreadPool& pool, Word* results) {
  const int64_t kept = task.sizes.kept, rows = task.sizes.reduced;
  const int64_t chunks = (kept + block_elements - 1) / block_elements;
  pool.parallel_for(chunks, grain(std::min(kept, block_elements) * rows), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue);
    const Words best(block_elements), number(block_elements);
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t start = chunk * block_elements, width = std::min(block_elements, kept - start);
      std::copy_n(prologue(start, width), width, best.data());
      std::fill_n(results + start, width, 0);
      for (int64_t row = 1; row < rows; ++row) {
        std::fill_n(number.data(), width, static_cast<Word>(row));
        task.blocks.merge(best.data(), results + start, prologue(row * kept + start, width), number.data(), width);
      }
    }
  });
}

}  // namespace

void run_arg_reduce(const ReduceKernel& kernel, ThreadPool& pool) {
  const ReduceSizes sizes = sizes_of(kernel);
  const bool contiguous = kernel.tree == layout::ReduceTree::row && !goes_side_by_side(sizes.kept, sizes.reduced);
  const ArgReduceTask task(kernel, contiguous ? kernel.prologue : reduced_first(kernel.prologue, kernel.kept_rank));
  const Words results(task.sizes.kept);
  contiguous ? reduce_rows(task, pool, results.data()) : reduce_columns(task, pool, results.data());
  run_epilogue(task.epilogue, results.data(), task.out, pool);
}

}  // namespace eglantine::cpu
