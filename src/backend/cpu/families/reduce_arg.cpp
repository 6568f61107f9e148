#include <algorithm>

#include "backend/cpu/families/reduce.hpp"

// argmax and argmin: the first of equals, the first NaN. The result is exact, so any order that keeps ties in order
// will do; the tree of the kernel only says whether memory is best walked along the reduced elements or the kept ones.
namespace eglantine::cpu {

namespace {

struct Job {
  Job(const ReduceKernel& kernel, const Expr& order)
      : blocks(arg_blocks(kernel.reduction, kernel.prologue.dtype())),
        prologue(order),
        epilogue(kernel.epilogue),
        out(kernel.out),
        sizes(sizes_of(kernel)) {}

  ArgBlocks blocks;
  Program prologue, epilogue;
  Elements out;
  ReduceSizes sizes;
};

// The best of reduced elements [begin, end) of one kept coordinate.
struct Best {
  Word value, index;
};
Best best_of(const Job& job, Evaluator& produce, int64_t row, int64_t begin, int64_t end) {
  const int64_t base = row * job.sizes.reduced;
  Best best{*produce(base + begin, 1), static_cast<Word>(begin)};
  for (int64_t at = begin, count = 0; at < end; at += count) {
    count = job.prologue.span(base + at, base + end);
    job.blocks.scan(produce(base + at, count), count, static_cast<Word>(at), best.value, best.index);
  }
  return best;
}

// Rows are cut into parts when there are too few of them for the threads; the parts of a row meet in order.
void reduce_rows(const Job& job, ThreadPool& pool, Word* results) {
  const int64_t kept = job.sizes.kept, length = job.sizes.reduced;
  const int64_t wanted = kept >= 4 * pool.threads() ? 1 : 4 * pool.threads();
  const int64_t parts = std::clamp<int64_t>(length / piece_elements, 1, wanted);
  const int64_t part = (length + parts - 1) / parts;
  std::vector<Best> best(static_cast<size_t>(kept * parts));
  pool.parallel_for(kept * parts, grain(part), [&](int64_t begin, int64_t end) {
    Evaluator produce(job.prologue);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = std::min(i % parts * part, length - 1);
      best[static_cast<size_t>(i)] = best_of(job, produce, i / parts, at, std::min(length, at + part));
    }
  });
  for (int64_t row = 0; row < kept; ++row) {
    Best* first = best.data() + row * parts;
    for (int64_t i = 1; i < parts; ++i)
      job.blocks.merge(&first->value, &first->index, &first[i].value, &first[i].index, 1);
    results[row] = first->index;
  }
}

void reduce_columns(const Job& job, ThreadPool& pool, Word* results) {
  const int64_t kept = job.sizes.kept, rows = job.sizes.reduced;
  const int64_t chunks = (kept + block_elements - 1) / block_elements;
  pool.parallel_for(chunks, grain(std::min(kept, block_elements) * rows), [&](int64_t begin, int64_t end) {
    Evaluator produce(job.prologue);
    const Words best(block_elements), number(block_elements);
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t start = chunk * block_elements, width = std::min(block_elements, kept - start);
      std::copy_n(produce(start, width), width, best.data());
      std::fill_n(results + start, width, 0);
      for (int64_t row = 1; row < rows; ++row) {
        std::fill_n(number.data(), width, static_cast<Word>(row));
        job.blocks.merge(best.data(), results + start, produce(row * kept + start, width), number.data(), width);
      }
    }
  });
}

}  // namespace

void run_arg_reduce(const ReduceKernel& kernel, ThreadPool& pool) {
  const bool along_rows = kernel.tree == layout::ReduceTree::row;
  const Job job(kernel, along_rows ? kernel.prologue : reduced_first(kernel));
  const Words results(job.sizes.kept);
  along_rows ? reduce_rows(job, pool, results.data()) : reduce_columns(job, pool, results.data());
  run_epilogue(job.epilogue, results.data(), job.out, pool);
}

}  // namespace eglantine::cpu
