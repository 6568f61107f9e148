#include "backend/cpu/families/reduce.hpp"

#include <algorithm>

#include "layout/collapse.hpp"

namespace eglantine::cpu {

namespace {

using layout::column_block;
using layout::row_block;

int64_t blocks_in(int64_t length, int64_t block) { return (length + block - 1) / block; }

// out[i] = epilogue(accumulator[i]) for results in a thread's own memory.
void store(const Program& epilogue, Evaluator& evaluate, const Elements& out, int64_t start, int64_t count,
           const Word* accumulator) {
  for (int64_t at = start, piece = 0; at < start + count; at += piece) {
    piece = epilogue.span(at, start + count);
    out.write(at, piece, evaluate(at, piece, accumulator + (at - start)));
  }
}

struct Job {
  explicit Job(const ReduceKernel& kernel, const Expr& order)
      : blocks(reduction_blocks(kernel.reduction, kernel.prologue.dtype(), kernel.custom)),
        prologue(order),
        epilogue(kernel.epilogue),
        out(kernel.out),
        sizes(sizes_of(kernel)) {}

  ReductionBlocks blocks;
  Program prologue, epilogue;
  Elements out;
  ReduceSizes sizes;
};

// Elements [start, end) of the prologue, which belong to one block of the row tree.
Word row_block_value(const Job& job, Evaluator& produce, RowBlock& block, int64_t start, int64_t end) {
  for (int64_t at = start, count = 0; at < end; at += count) {
    count = job.prologue.span(at, end);
    block.add(produce(at, count), count);
  }
  return block.finish();
}

// Rows of one block each: whole rows at a time where several fit in a block of the interpreter.
void reduce_short_rows(const Job& job, ThreadPool& pool) {
  const int64_t length = job.sizes.reduced;
  pool.parallel_for(job.sizes.kept, grain(length), [&](int64_t begin, int64_t end) {
    Evaluator produce(job.prologue), apply_epilogue(job.epilogue);
    RowBlock block(job.blocks);
    const Words results(block_elements);
    for (int64_t first = begin, rows = 0; first < end; first += rows) {
      rows = std::min(end - first, std::max<int64_t>(1, block_elements / length));
      if (rows == 1) {
        rows = std::min<int64_t>(end - first, block_elements);
        for (int64_t row = 0; row < rows; ++row)
          results.data()[row] =
              row_block_value(job, produce, block, (first + row) * length, (first + row + 1) * length);
      } else {
        const Word* values = produce(first * length, rows * length);
        for (int64_t row = 0; row < rows; ++row) {
          block.add(values + row * length, length);
          results.data()[row] = block.finish();
        }
      }
      store(job.epilogue, apply_epilogue, job.out, first, rows, results.data());
    }
  });
}

// Rows of several blocks: every block of every row is a piece of work of its own; then the rows' partials.
void reduce_long_rows(const Job& job, ThreadPool& pool) {
  const int64_t kept = job.sizes.kept, length = job.sizes.reduced;
  const int64_t blocks = blocks_in(length, row_block);
  const Words partials(kept * blocks), results(kept);
  pool.parallel_for(kept * blocks, grain(row_block), [&](int64_t begin, int64_t end) {
    Evaluator produce(job.prologue);
    RowBlock block(job.blocks);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / blocks * length, at = i % blocks * row_block;
      partials.data()[i] = row_block_value(job, produce, block, row + at, row + std::min(length, at + row_block));
    }
  });
  pool.parallel_for(kept, grain(blocks), [&](int64_t begin, int64_t end) {
    RowBlock block(job.blocks);
    std::vector<Word> run;
    for (int64_t row = begin; row < end; ++row) {
      run.assign(partials.data() + row * blocks, partials.data() + (row + 1) * blocks);
      results.data()[row] = reduce_run(run, block);
    }
  });
  run_epilogue(job.epilogue, results.data(), job.out, pool);
}

// Kept elements are worked in chunks of at most a block, of about equal size.
struct Chunks {
  int64_t count, width;
  explicit Chunks(int64_t kept) : count(blocks_in(kept, block_elements)), width(blocks_in(kept, count)) {}
};

// Rows [first, last) of the kept elements [start, start + width), added to a tree.
void add_rows(const Job& job, Evaluator& produce, ColumnTree& tree, int64_t first, int64_t last, int64_t start,
              int64_t width) {
  const int64_t kept = job.sizes.kept;
  if (width == kept) {
    const int64_t together = block_elements / width;
    for (int64_t row = first, rows = 0; row < last; row += rows) {
      rows = std::min(last - row, together);
      tree.add(produce(row * kept, rows * kept), rows);
    }
    return;
  }
  for (int64_t row = first; row < last; ++row) tree.add(produce(row * kept + start, width), 1);
}

// Enough kept elements to share out: each chunk goes down all its rows.
void reduce_wide_columns(const Job& job, ThreadPool& pool) {
  const int64_t kept = job.sizes.kept, rows = job.sizes.reduced;
  const Chunks chunks(kept);
  pool.parallel_for(chunks.count, grain(chunks.width * rows), [&](int64_t begin, int64_t end) {
    Evaluator produce(job.prologue), apply_epilogue(job.epilogue);
    for (int64_t start = begin * chunks.width; start < std::min(kept, end * chunks.width); start += chunks.width) {
      const int64_t width = std::min(chunks.width, kept - start);
      ColumnTree tree(job.blocks, width);
      add_rows(job, produce, tree, 0, rows, start, width);
      store(job.epilogue, apply_epilogue, job.out, start, width, tree.finish());
    }
  });
}

// Few kept elements and many rows: the blocks of rows are shared out; their values are new rows of the same tree.
void reduce_tall_columns(const Job& job, ThreadPool& pool) {
  const int64_t kept = job.sizes.kept, rows = job.sizes.reduced;
  const Chunks chunks(kept);
  const int64_t blocks = blocks_in(rows, column_block);
  const Words partials(kept * blocks), results(kept);
  pool.parallel_for(blocks, grain(column_block * kept), [&](int64_t begin, int64_t end) {
    Evaluator produce(job.prologue);
    for (int64_t start = 0; start < kept; start += chunks.width) {
      const int64_t width = std::min(chunks.width, kept - start);
      ColumnTree tree(job.blocks, width);
      for (int64_t block = begin; block < end; ++block) {
        add_rows(job, produce, tree, block * column_block, std::min(rows, (block + 1) * column_block), start, width);
        std::copy_n(tree.finish(), width, partials.data() + block * kept + start);
      }
    }
  });
  ColumnTree tree(job.blocks, kept);
  tree.add(partials.data(), blocks);
  std::copy_n(tree.finish(), kept, results.data());
  run_epilogue(job.epilogue, results.data(), job.out, pool);
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
  if (kernel.tree == layout::ReduceTree::row) {
    const Job job(kernel, kernel.prologue);
    return job.sizes.reduced <= row_block ? reduce_short_rows(job, pool) : reduce_long_rows(job, pool);
  }
  const Job job(kernel, reduced_first(kernel));
  const bool wide = Chunks(job.sizes.kept).count >= 2 * pool.threads() || job.sizes.reduced <= column_block;
  return wide ? reduce_wide_columns(job, pool) : reduce_tall_columns(job, pool);
}

}  // namespace eglantine::cpu
