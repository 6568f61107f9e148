#include "backend/cpu/families/scan.hpp"

#include <algorithm>
#include <cstdlib>

#include "backend/cpu/families/families.hpp"
#include "graph/op_info.hpp"
#include "layout/divide.hpp"

// Rows along memory are scanned one by one; rows across memory up to a block of neighbours side by side: both are
// called a line here. A line is cut into blocks: what comes before a block is the scan of the totals of those before
// it, so the order does not depend on how many threads share the work.
namespace eglantine::cpu {

namespace {

constexpr int64_t line_block = 16384;  // elements

/// The scanned axis in front of the others.
void rotate(Layout& x) {
  std::rotate(x.shape.begin(), x.shape.end() - 1, x.shape.end());
  std::rotate(x.strides.begin(), x.strides.end() - 1, x.strides.end());
}

void rotate(Expr& expr) {
  for (Strided& operand : expr.operands) rotate(operand.layout);
  for (Layout& iota : expr.iotas) rotate(iota);
  std::rotate(expr.domain.begin(), expr.domain.end() - 1, expr.domain.end());
}

ScanKernel scanned_first(ScanKernel kernel) {
  rotate(kernel.prologue);
  rotate(kernel.epilogue);
  rotate(kernel.out.layout);
  return kernel;
}

struct Job {
  Job(const ScanKernel& kernel, int scanned_axis)
      : combine(reduction_blocks(kernel.reduction, kernel.prologue.dtype(), kernel.custom)),
        prologue(kernel.prologue),
        epilogue(kernel.epilogue),
        out(kernel.out),
        exclusive(kernel.exclusive),
        from_zero(exclusive && starts_at_negative_zero(kernel.reduction, kernel.prologue.dtype())),
        length(kernel.prologue.domain[scanned_axis]),
        rows(prologue.elements() / length),
        width(scanned_axis == 0 && kernel.kept_rank > 0 ? ceil_divide(rows, ceil_divide(rows, block_elements)) : 1),
        block(std::max(PrefixCounter::radix, line_block / width)) {}

  int64_t lines() const { return ceil_divide(rows, width); }
  int64_t blocks() const { return ceil_divide(length, block); }

  ReductionBlocks combine;
  Program prologue, epilogue;
  Elements out;
  bool exclusive;
  bool from_zero;  ///< the identity of adding floats is -0.0, and an exclusive sum starts with 0.0
  int64_t length, rows;
  int64_t width;  ///< rows of a line
  int64_t block;  ///< steps
};

/// One thread's registers.
class Worker {
 public:
  explicit Worker(const Job& job)
      : job_(job),
        produce_(job.prologue),
        epilogue_(job.epilogue),
        counter_(job.combine, job.width),
        prefixes_(block_elements + 1) {}

  /// Whole rows, as many as fit in a block of the interpreter.
  void scan_short_rows(int64_t first_row, int64_t rows) {
    const int64_t start = first_row * job_.length, count = rows * job_.length;
    const Word* x = produce_(start, count);
    Word* prefixes = prefixes_.data();
    for (int64_t row = 0; row < rows; ++row, x += job_.length, prefixes += job_.length) {
      counter_.start(nullptr);
      if (!job_.exclusive) {
        along(prefixes, x, job_.length);
        continue;
      }
      prefixes[0] = job_.combine.identity;
      along(prefixes + 1, x, job_.length - 1);
    }
    store(start, count, prefixes_.data());
  }

  /// Steps [first, end) of a line.
  void scan(int64_t line, int64_t first, int64_t end, const Word* carry) {
    counter_.start(carry);
    job_.width == 1 ? scan_row(line, first, end) : scan_columns(line, first, end, true);
  }

  /// What they combine to.
  void total(int64_t line, int64_t first, int64_t end, Word* out) {
    counter_.start(nullptr);
    if (job_.width == 1) {
      for (int64_t at = line * job_.length + first, last = line * job_.length + end, count = 0; at < last;
           at += count) {
        count = job_.prologue.span(at, last);
        along(prefixes_.data(), produce_(at, count), count);
      }
    } else {
      scan_columns(line, first, end, false);
    }
    counter_.total(out);
  }

  /// What the last scan() combined, without its carry.
  void total(Word* out) const { counter_.total(out); }

 private:
  /// The next `count` elements of a row.
  void along(Word* prefixes, const Word* x, int64_t count) {
    for (int64_t piece = 0; count > 0; count -= piece, x += piece, prefixes += piece) {
      piece = std::min(count, counter_.room());
      job_.combine.prefix(prefixes, x, piece, *counter_.base(), *counter_.run());
      counter_.advance(piece);
    }
  }

  void scan_row(int64_t row, int64_t first, int64_t end) {
    // The prefix before the next element, then those up to each element.
    Word* prefixes = prefixes_.data();
    *prefixes = *counter_.base();
    const int64_t last = row * job_.length + end;
    for (int64_t at = row * job_.length + first, count = 0; at < last; at += count) {
      count = job_.prologue.span(at, last);
      along(prefixes + 1, produce_(at, count), count);
      const Word next = prefixes[count];
      store(at, count, prefixes + (job_.exclusive ? 0 : 1));
      *prefixes = next;
    }
  }

  /// Narrow columns several steps at a time.
  void scan_columns(int64_t line, int64_t first, int64_t end, bool stores) {
    const int64_t from = line * job_.width, width = std::min(job_.width, job_.rows - from);
    const int64_t together = width == job_.rows ? block_elements / width : 1;
    for (int64_t step = first, steps = 0; step < end; step += steps) {
      steps = std::min(together, end - step);
      const int64_t start = step * job_.rows + from;
      const Word* x = produce_(start, steps * width);
      for (int64_t i = 0; i < steps; ++i) take(x + i * width, prefixes_.data() + i * width, width);
      if (stores) store(start, steps * width, prefixes_.data());
    }
  }

  /// One step of columns. (A last line of fewer columns than others has some that are never read.)
  void take(const Word* x, Word* prefixes, int64_t width) {
    std::copy_n(counter_.base(), width, prefixes);
    if (job_.exclusive) job_.combine.accumulate(prefixes, counter_.run(), width);
    job_.combine.accumulate(counter_.run(), x, width);
    if (!job_.exclusive) job_.combine.accumulate(prefixes, counter_.run(), width);
    counter_.advance(1);
  }

  void store(int64_t start, int64_t count, Word* prefixes) {
    constexpr Word negative_zero = 0x80000000U;
    if (job_.from_zero) std::replace(prefixes, prefixes + count, negative_zero, Word{0});
    for (int64_t at = start, piece = 0; at < start + count; at += piece) {
      piece = job_.epilogue.span(at, start + count);
      job_.out.write(at, piece, epilogue_(at, piece, prefixes + (at - start)));
    }
  }

  const Job& job_;
  Evaluator produce_, epilogue_;
  PrefixCounter counter_;
  Words prefixes_;
};

void scan_short_rows(const Job& job, ThreadPool& pool) {
  const int64_t together = block_elements / job.length;
  pool.parallel_for(job.rows, grain(job.length), [&](int64_t begin, int64_t end) {
    Worker worker(job);
    for (int64_t row = begin; row < end; row += together) worker.scan_short_rows(row, std::min(together, end - row));
  });
}

/// Lines enough to share out: each block after the one before it.
void scan_lines(const Job& job, ThreadPool& pool) {
  pool.parallel_for(job.lines(), grain(job.length * job.width), [&](int64_t begin, int64_t end) {
    Worker worker(job);
    PrefixCounter blocks(job.combine, job.width);
    const Words carry(job.width), total(job.width);
    for (int64_t line = begin; line < end; ++line) {
      blocks.start(nullptr);
      for (int64_t first = 0; first < job.length; first += job.block) {
        blocks.prefix(carry.data());
        worker.scan(line, first, std::min(job.length, first + job.block), first == 0 ? nullptr : carry.data());
        worker.total(total.data());
        blocks.add(total.data());
      }
    }
  });
}

/// Few lines: their blocks are shared out, once for the totals and once more for the results.
void scan_blocks(const Job& job, ThreadPool& pool) {
  const int64_t blocks = job.blocks(), pieces = job.lines() * blocks;
  const Words carries(pieces * job.width), sums(pieces * job.width);
  pool.parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    Worker worker(job);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * job.block;
      if (first + job.block < job.length)
        worker.total(i / blocks, first, first + job.block, sums.data() + i * job.width);
    }
  });
  for (int64_t line = 0; line < job.lines(); ++line) {
    PrefixCounter counter(job.combine, job.width);
    counter.start(nullptr);
    for (int64_t i = line * blocks; i + 1 < (line + 1) * blocks; ++i) {
      counter.add(sums.data() + i * job.width);
      counter.prefix(carries.data() + (i + 1) * job.width);
    }
  }
  pool.parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    Worker worker(job);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * job.block;
      worker.scan(i / blocks, first, std::min(job.length, first + job.block),
                  first == 0 ? nullptr : carries.data() + i * job.width);
    }
  });
}

}  // namespace

void run_scan(const ScanKernel& kernel, ThreadPool& pool) {
  // The result lies without gaps: it decides, as on GL.
  const bool along = std::abs(kernel.out.layout.strides.back()) == 1;
  const Job job(along ? kernel : scanned_first(kernel), along ? kernel.kept_rank : 0);
  if (along && job.length <= block_elements / 2) return scan_short_rows(job, pool);
  return job.blocks() == 1 || job.lines() >= 2 * pool.threads() ? scan_lines(job, pool) : scan_blocks(job, pool);
}

}  // namespace eglantine::cpu
