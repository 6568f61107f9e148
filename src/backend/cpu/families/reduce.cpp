#include "backend/cpu/families/reduce.hpp"

#include <algorithm>
#include <bit>

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
  explicit ReduceTask(const ReduceKernel& kernel, const Expr& order)
      : blocks(reduction_blocks(kernel.reduction, kernel.prologue.dtype(), kernel.custom)),
        prologue(order),
        epilogue(kernel.epilogue),
        out(kernel.out),
        sizes(sizes_of(kernel)) {}

  ReductionBlocks blocks;
  EvaluatorProgram prologue, epilogue;
  Elements out;
  ReduceSizes sizes;
};

// The value of one block of the row tree: elements [start, end) of the prologue.
Word row_block_value(const ReduceTask& task, Evaluator& prologue, RowBlock& block, int64_t start, int64_t end) {
  for (int64_t at = start, count = 0; at < end; at += count) {
    count = task.prologue.span(at, end);
    block.add(prologue(at, count), count);
  }
  return block.finish();
}

// Rows of one block each; several rows at a time where they fit in a block of the interpreter.
void reduce_short_rows(const ReduceTask& task, ThreadPool& pool) {
  const int64_t length = task.sizes.reduced;
  pool.parallel_for(task.sizes.kept, grain(length), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue), epilogue(task.epilogue);
    RowBlock block(task.blocks);
    const Words results(block_elements);
    for (int64_t first = begin, rows = 0; first < end; first += rows) {
      rows = std::min(end - first, std::max<int64_t>(1, block_elements / length));
      if (rows == 1) {
        rows = std::min<int64_t>(end - first, block_elements);
        for (int64_t row = 0; row < rows; ++row)
          results.data()[row] =
              row_block_value(task, prologue, block, (first + row) * length, (first + row + 1) * length);
      } else {
        const Word* values = prologue(first * length, rows * length);
        for (int64_t row = 0; row < rows; ++row) {
          block.add(values + row * length, length);
          results.data()[row] = block.finish();
        }
      }
      store(task.epilogue, epilogue, task.out, first, rows, results.data());
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
  pool.parallel_for(kept * blocks, grain(row_block), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue);
    RowBlock block(task.blocks);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / blocks * length, at = i % blocks * row_block;
      partials.data()[i] = row_block_value(task, prologue, block, row + at, row + std::min(length, at + row_block));
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

// Adds rows [first, last) of the kept elements [start, start + width) to a tree.
void add_rows(const ReduceTask& task, Evaluator& prologue, ColumnTree& tree, int64_t first, int64_t last, int64_t start,
              int64_t width) {
  const int64_t kept = task.sizes.kept;
  if (width == kept) {
    const int64_t together = block_elements / width;
    for (int64_t row = first, rows = 0; row < last; row += rows) {
      rows = std::min(last - row, together);
      tree.add(prologue(row * kept, rows * kept), rows);
    }
    return;
  }
  for (int64_t row = first; row < last; ++row) tree.add(prologue(row * kept + start, width), 1);
}

// Enough kept elements for all threads: each chunk reduces all its rows.
void reduce_wide_columns(const ReduceTask& task, ThreadPool& pool) {
  const int64_t kept = task.sizes.kept, rows = task.sizes.reduced;
  const ColumnChunks chunks(kept);
  pool.parallel_for(chunks.count, grain(chunks.width * rows), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue), epilogue(task.epilogue);
    for (int64_t start = begin * chunks.width; start < std::min(kept, end * chunks.width); start += chunks.width) {
      const int64_t width = std::min(chunks.width, kept - start);
      ColumnTree tree(task.blocks, width);
      add_rows(task, prologue, tree, 0, rows, start, width);
      store(task.epilogue, epilogue, task.out, start, width, tree.finish());
    }
  });
}

// Few kept elements and many rows: blocks of rows are distributed, and their values are rows of the tree's next level.
void reduce_tall_columns(const ReduceTask& task, ThreadPool& pool) {
  const int64_t kept = task.sizes.kept, rows = task.sizes.reduced;
  const ColumnChunks chunks(kept);
  const int64_t blocks = blocks_in(rows, column_block);
  const Words partials(kept * blocks), results(kept);
  pool.parallel_for(blocks, grain(column_block * kept), [&](int64_t begin, int64_t end) {
    Evaluator prologue(task.prologue);
    for (int64_t start = 0; start < kept; start += chunks.width) {
      const int64_t width = std::min(chunks.width, kept - start);
      ColumnTree tree(task.blocks, width);
      for (int64_t block = begin; block < end; ++block) {
        add_rows(task, prologue, tree, block * column_block, std::min(rows, (block + 1) * column_block), start, width);
        std::copy_n(tree.finish(), width, partials.data() + block * kept + start);
      }
    }
  });
  ColumnTree tree(task.blocks, kept);
  tree.add(partials.data(), blocks);
  std::copy_n(tree.finish(), kept, results.data());
  run_epilogue(task.epilogue, results.data(), task.out, pool);
}

}  // namespace

ReduceSizes sizes_of(const ReduceKernel& kernel) {
  ReduceSizes sizes{1, 1};
  for (int axis = 0; axis < kernel.prologue.domain.rank(); ++axis)
    (axis < kernel.kept_rank ? sizes.kept : sizes.reduced) *= kernel.prologue.domain[axis];
  return sizes;
}

Expr reduced_first(const ReduceKernel& kernel) {
  Expr expr = kernel.prologue;
  std::vector<Layout> layouts;
  for (const Strided& operand : expr.operands) layouts.push_back(operand.layout);
  layouts.insert(layouts.end(), expr.iotas.begin(), expr.iotas.end());
  layouts.push_back({expr.domain, std::vector<int64_t>(static_cast<size_t>(expr.domain.rank())), 0});
  for (Layout& x : layouts) {
    std::rotate(x.shape.begin(), x.shape.begin() + kernel.kept_rank, x.shape.end());
    std::rotate(x.strides.begin(), x.strides.begin() + kernel.kept_rank, x.strides.end());
  }
  layout::collapse(layouts);
  for (size_t i = 0; i < expr.operands.size(); ++i) expr.operands[i].layout = layouts[i];
  for (size_t i = 0; i < expr.iotas.size(); ++i) expr.iotas[i] = layouts[expr.operands.size() + i];
  expr.domain = layouts.back().shape;
  return expr;
}

void run_reduce(const ReduceKernel& kernel, ThreadPool& pool) {
  const ReduceSizes sizes = sizes_of(kernel);
  if (kernel.tree == layout::ReduceTree::row && goes_side_by_side(sizes.kept, sizes.reduced))
    return reduce_side_by_side(ReduceTask(kernel, reduced_first(kernel)), pool);
  if (kernel.tree == layout::ReduceTree::row) {
    const ReduceTask task(kernel, kernel.prologue);
    return task.sizes.reduced <= row_block ? reduce_short_rows(task, pool) : reduce_long_rows(task, pool);
  }
  const ReduceTask task(kernel, reduced_first(kernel));
  const bool wide = ColumnChunks(task.sizes.kept).count >= 2 * pool.threads() || task.sizes.reduced <= column_block;
  return wide ? reduce_wide_columns(task, pool) : reduce_tall_columns(task, pool);
}

}  // namespace eglantine::cpu
