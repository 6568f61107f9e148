#include "backend/cpu/families/reduce.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "graph/kernel/results_together.hpp"
#include "layout/collapse.hpp"

namespace eglantine::cpu {

namespace {

using layout::column_block;
using layout::row_block;

int64_t blocks_in(int64_t length, int64_t block) { return (length + block - 1) / block; }

// out[i] = epilogue(accumulator[i]) for results in a thread's own memory.
void store(const EvaluatorProgram& epilogue, Evaluator& evaluate, const Elements& out, int64_t start, int64_t count,
           const Word* accumulator) {
  for (int64_t at = start, length = 0; at < start + count; at += length) {
    length = epilogue.span(at, start + count);
    out.write(at, length, evaluate(at, length, accumulator + (at - start)));
  }
}

struct ReduceTask {
  ReduceTask(const ReduceKernel& kernel, const Expr& order, std::vector<int32_t> together = {})
      : results(std::move(together)),
        blocks(reduction_blocks(kernel.reduction, kernel.prologue.dtype(), kernel.custom)),
        prologue(order, results),
        epilogue(kernel.epilogue),
        out(kernel.out),
        sizes(sizes_of(kernel)) {}

  int64_t at_once() const { return std::max<int64_t>(1, std::ssize(results)); }  // results that are computed at once
  int64_t vectors() const { return sizes.kept / at_once(); }                     // of so many results

  std::vector<int32_t> results;  // the prologue's, at once
  ReductionBlocks blocks;
  EvaluatorProgram prologue, epilogue;
  Elements out;
  ReduceSizes sizes;
};

// The values of one block of the row tree: elements [start, end) of the prologue, of rows that are computed at once.
class RowBlocks {
 public:
  explicit RowBlocks(const ReduceTask& task) : task_(task), prologue_(task.prologue) {
    for (int64_t i = 0; i < task.at_once(); ++i) blocks_.emplace_back(task.blocks);
  }

  // `rows` rows of one block each, of `length` elements from `start` on, that fit in a block of the interpreter.
  void evaluate(int64_t start, int64_t rows, int64_t length, Word* values) {
    const Word* last = prologue_(start, rows * length);
    for (int64_t row = 0; row < rows; ++row)
      for (size_t i = 0; i < blocks_.size(); ++i) {
        blocks_[i].add(result(i, last) + row * length, length);
        *values++ = blocks_[i].finish();
      }
  }

  // One block; values[i * apart] is of row i.
  void evaluate_long(int64_t start, int64_t end, Word* values, int64_t apart) {
    for (int64_t at = start, count = 0; at < end; at += count) {
      count = task_.prologue.span(at, end);
      const Word* last = prologue_(at, count);
      for (size_t i = 0; i < blocks_.size(); ++i) blocks_[i].add(result(i, last), count);
    }
    for (RowBlock& block : blocks_) {
      *values = block.finish();
      values += apart;
    }
  }

 private:
  const Word* result(size_t i, const Word* last) const {
    return task_.results.empty() ? last : prologue_.value(task_.results[i]);
  }

  const ReduceTask& task_;
  Evaluator prologue_;
  std::vector<RowBlock> blocks_;
};

// Rows of one block each; several rows at a time where they fit in a block of the interpreter.
void reduce_short_rows(const ReduceTask& task, ThreadPool& pool) {
  const int64_t length = task.sizes.reduced, at_once = task.at_once();
  pool.parallel_for(task.vectors(), grain(length * at_once), [&](int64_t begin, int64_t end) {
    RowBlocks blocks(task);  // before the epilogue: behind it energies took a quarter longer, it is not known why
    Evaluator epilogue(task.epilogue);
    const Words results(block_elements * at_once);
    for (int64_t first = begin, rows = 0; first < end; first += rows) {
      rows = std::min(end - first, std::max<int64_t>(1, block_elements / length));
      if (rows == 1) {
        rows = std::min<int64_t>(end - first, block_elements);
        for (int64_t row = 0; row < rows; ++row)
          blocks.evaluate_long((first + row) * length, (first + row + 1) * length, results.data() + row * at_once, 1);
      } else {
        blocks.evaluate(first * length, rows, length, results.data());
      }
      store(task.epilogue, epilogue, task.out, first * at_once, rows * at_once, results.data());
    }
  });
}

constexpr int64_t cached_words = 8192;  ///< of 32 KiB

// Kept elements in chunks of about equal width, at most a block each.
struct ColumnChunks {
  int64_t count, width;
  explicit ColumnChunks(int64_t kept, int64_t widest = block_elements)
      : count(blocks_in(kept, widest)), width(blocks_in(kept, count)) {}
};

// Combines arrays of `width` results as RowBlock combines the components of its lanes; the first is the result.
void fold_components(const ReductionBlocks& blocks, Word* components, int64_t lanes, int64_t width) {
  const auto combine = [&](int64_t to, int64_t from) {
    blocks.accumulate(components + to * width, components + from * width, width);
  };
  for (int64_t first = 0; first < 4 * lanes; first += 4) {
    combine(first, first + 1);
    combine(first + 2, first + 3);
    combine(first, first + 2);
  }
  for (int64_t half = lanes / 2; half > 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane) combine(4 * lane, 4 * (lane + half));
}

// Short rows, in the prologue's order of reduced_first(): an array of rows for each element, all in the first-level
// cache.
void reduce_side_by_side(const ReduceTask& task, ThreadPool& pool) {
  const int64_t kept = task.sizes.kept, length = task.sizes.reduced;
  const auto lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>((length + 3) / 4)));
  const ColumnChunks chunks(kept, std::min(block_elements, cached_words / (4 * lanes)));
  pool.parallel_for(chunks.count, grain(chunks.width * length), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue), epilogue(task.epilogue);
    const Words components(4 * lanes * chunks.width);
    for (int64_t start = begin * chunks.width; start < std::min(kept, end * chunks.width); start += chunks.width) {
      const int64_t width = std::min(chunks.width, kept - start);
      for (int64_t i = 0; i < length; ++i)
        std::copy_n(prologue(i * kept + start, width), width, components.data() + i * width);
      std::fill(components.data() + length * width, components.data() + 4 * lanes * width, task.blocks.identity);
      fold_components(task.blocks, components.data(), lanes, width);
      store(task.epilogue, epilogue, task.out, start, width, components.data());
    }
  });
}

// Rows of several blocks: all blocks of all rows are distributed; then each row's partials are reduced.
void reduce_long_rows(const ReduceTask& task, ThreadPool& pool) {
  const int64_t kept = task.sizes.kept, length = task.sizes.reduced;
  const int64_t blocks = blocks_in(length, row_block);
  const Words partials(kept * blocks), results(kept);
  pool.parallel_for(task.vectors() * blocks, grain(row_block), [&](int64_t begin, int64_t end) {
    RowBlocks values(task);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t vector = i / blocks, at = i % blocks * row_block, row = vector * length;
      values.evaluate_long(row + at, row + std::min(length, at + row_block),
                           partials.data() + vector * task.at_once() * blocks + i % blocks, blocks);
    }
  });
  pool.parallel_for(kept, grain(blocks), [&](int64_t begin, int64_t end) {
    RowBlock block(task.blocks);
    std::vector<Word> run;
    for (int64_t row = begin; row < end; ++row) {
      run.assign(partials.data() + row * blocks, partials.data() + (row + 1) * blocks);
      results.data()[row] = reduce_run(run, block);
    }
  });
  run_epilogue(task.epilogue, results.data(), task.out, pool);
}

// The trees of vectors of columns side by side; a vector is one column, or those that are computed at once.
class ColumnTrees {
 public:
  ColumnTrees(const ReduceTask& task, Evaluator& prologue, int64_t width)
      : task_(task), prologue_(prologue), width_(width), values_(task.at_once() > 1 ? task.at_once() * width : 0) {
    for (int64_t column = 0; column < task.at_once(); ++column) trees_.emplace_back(task.blocks, width);
  }

  // Adds rows [first, last) of the vectors [start, start + width).
  void add(int64_t first, int64_t last, int64_t start) {
    const int64_t vectors = task_.vectors();
    const int64_t together = width_ == vectors ? block_elements / width_ : 1;
    for (int64_t row = first, rows = 0; row < last; row += rows) {
      rows = std::min(last - row, together);
      const Word* values = prologue_(row * vectors + start, rows * width_);
      for (size_t i = 0; i < trees_.size(); ++i)
        trees_[i].add(task_.results.empty() ? values : prologue_.value(task_.results[i]), rows);
    }
  }

  // The value of each column, valid until the next call.
  const Word* finish() {
    if (trees_.size() == 1) return trees_.front().finish();
    const size_t columns = trees_.size();
    for (size_t i = 0; i < columns; ++i) {
      const Word* of_column = trees_[i].finish();
      for (size_t at = 0; at < static_cast<size_t>(width_); ++at) values_.data()[at * columns + i] = of_column[at];
    }
    return values_.data();
  }

 private:
  const ReduceTask& task_;
  Evaluator& prologue_;
  int64_t width_;
  std::vector<ColumnTree> trees_;
  Words values_;
};

// Enough kept elements for all threads: each chunk reduces all its rows.
void reduce_wide_columns(const ReduceTask& task, ThreadPool& pool) {
  const int64_t vectors = task.vectors(), rows = task.sizes.reduced, columns = task.at_once();
  const ColumnChunks chunks(vectors);
  pool.parallel_for(chunks.count, grain(chunks.width * rows), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue), epilogue(task.epilogue);
    for (int64_t start = begin * chunks.width; start < std::min(vectors, end * chunks.width); start += chunks.width) {
      const int64_t width = std::min(chunks.width, vectors - start);
      ColumnTrees trees(task, prologue, width);
      trees.add(0, rows, start);
      store(task.epilogue, epilogue, task.out, start * columns, width * columns, trees.finish());
    }
  });
}

// Few kept elements and many rows: blocks of rows are distributed, and their values are rows of the tree's next level.
void reduce_tall_columns(const ReduceTask& task, ThreadPool& pool) {
  const int64_t kept = task.sizes.kept, rows = task.sizes.reduced, vectors = task.vectors(), columns = task.at_once();
  const ColumnChunks chunks(vectors);
  const int64_t blocks = blocks_in(rows, column_block);
  const Words partials(kept * blocks), results(kept);
  pool.parallel_for(blocks, grain(column_block * kept), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue);
    for (int64_t start = 0; start < vectors; start += chunks.width) {
      const int64_t width = std::min(chunks.width, vectors - start);
      ColumnTrees trees(task, prologue, width);
      for (int64_t block = begin; block < end; ++block) {
        trees.add(block * column_block, std::min(rows, (block + 1) * column_block), start);
        std::copy_n(trees.finish(), width * columns, partials.data() + block * kept + start * columns);
      }
    }
  });
  ColumnTree tree(task.blocks, kept);
  tree.add(partials.data(), blocks);
  std::copy_n(tree.finish(), kept, results.data());
  run_epilogue(task.epilogue, results.data(), task.out, pool);
}

// The task, of results at once where that is best; columns: with reduced axes first.
ReduceTask task_of(const ReduceKernel& kernel, bool columns) {
  const auto ordered = [&](const Expr& expr, int kept) { return columns ? reduced_first(expr, kept) : expr; };
  const int kept = kernel.kept_rank - 1;
  if (results_at_once(kernel.prologue, kernel.kept_rank, kernel.reduction) == 1)
    return ReduceTask(kernel, ordered(kernel.prologue, kernel.kept_rank));
  const ResultsTogether together = results_together(kernel.prologue, kept, kernel.kept_rank);
  return ReduceTask(kernel, ordered(together.prologue, kept), together.results);
}

}  // namespace

ReduceSizes sizes_of(const ReduceKernel& kernel) {
  ReduceSizes sizes{1, 1};
  for (int axis = 0; axis < kernel.prologue.domain.rank(); ++axis)
    (axis < kernel.kept_rank ? sizes.kept : sizes.reduced) *= kernel.prologue.domain[axis];
  return sizes;
}

Expr reduced_first(const Expr& prologue, int kept_rank) {
  Expr expr = prologue;
  std::vector<Layout> layouts;
  for (const Strided& operand : expr.operands) layouts.push_back(operand.layout);
  layouts.insert(layouts.end(), expr.iotas.begin(), expr.iotas.end());
  layouts.push_back({expr.domain, std::vector<int64_t>(static_cast<size_t>(expr.domain.rank())), 0});
  for (Layout& x : layouts) {
    std::rotate(x.shape.begin(), x.shape.begin() + kept_rank, x.shape.end());
    std::rotate(x.strides.begin(), x.strides.begin() + kept_rank, x.strides.end());
  }
  layout::collapse(layouts);
  for (size_t i = 0; i < expr.operands.size(); ++i) expr.operands[i].layout = layouts[i];
  for (size_t i = 0; i < expr.iotas.size(); ++i) expr.iotas[i] = layouts[expr.operands.size() + i];
  expr.domain = layouts.back().shape;
  return expr;
}

void run_reduce(const ReduceKernel& kernel, ThreadPool& pool) {
  const ReduceSizes sizes = sizes_of(kernel);
  const bool rows = kernel.tree != layout::ReduceTree::column;
  if (rows && reduce_short_runs(kernel, pool)) return;
  const ReduceTask task = task_of(kernel, !rows);
  if (rows && task.at_once() == 1 && goes_side_by_side(sizes.kept, sizes.reduced))
    return reduce_side_by_side(ReduceTask(kernel, reduced_first(kernel.prologue, kernel.kept_rank)), pool);
  if (rows) return sizes.reduced <= row_block ? reduce_short_rows(task, pool) : reduce_long_rows(task, pool);
  const bool wide = ColumnChunks(task.vectors()).count >= 2 * pool.threads() || sizes.reduced <= column_block;
  return wide ? reduce_wide_columns(task, pool) : reduce_tall_columns(task, pool);
}

}  // namespace eglantine::cpu
