#include "backend/cpu/families/scan.hpp"

#include <algorithm>
#include <cstdlib>

#include "backend/cpu/families/families.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"

// A line: one contiguous row, or up to a block of adjacent strided ones side by side. It is cut into blocks; a block's
// carry is the scan of the earlier blocks' totals, so the order does not depend on the number of threads.
namespace eglantine::cpu {

namespace {

constexpr int64_t line_block = 16384;  // elements

/// Moves the scanned axis in front of the others.
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

struct ScanTask {
  ScanTask(const ScanKernel& kernel, int scanned_axis)
      : combine(reduction_blocks(kernel.reduction, kernel.prologue.dtype(), kernel.custom)),
        prologue(kernel.prologue),
        epilogue(kernel.epilogue),
        out(kernel.out),
        exact(combine.exact),
        exclusive(kernel.exclusive),
        from_zero(exclusive && starts_at_negative_zero(kernel.reduction, kernel.prologue.dtype())),
        length(kernel.prologue.domain[scanned_axis]),
        rows(prologue.elements() / length),
        width(scanned_axis == 0 && kernel.kept_rank > 0 ? ceil_divide(rows, ceil_divide(rows, block_elements)) : 1),
        block(std::max(PrefixCounter::radix, line_block / width)) {}

  int64_t lines() const { return ceil_divide(rows, width); }
  int64_t blocks() const { return ceil_divide(length, block); }

  ReductionBlocks combine;
  EvaluatorProgram prologue, epilogue;
  Elements out;
  bool exact, exclusive;
  bool from_zero;  ///< an exclusive float sum starts at 0.0, while the identity of the addition is -0.0
  int64_t length, rows;
  int64_t width;  ///< rows of a line
  int64_t block;  ///< steps of a block
};

/// One thread's registers and prefixes.
class ScanWorker {
 public:
  explicit ScanWorker(const ScanTask& task)
      : task_(task),
        prologue_(task.prologue),
        epilogue_(task.epilogue),
        counter_(task.combine, task.width, task.exact),
        prefixes_(block_elements + 1) {}

  /// Scans whole rows, as many as fit in a block of the interpreter.
  void scan_short_rows(int64_t first_row, int64_t rows) {
    const int64_t start = first_row * task_.length, count = rows * task_.length;
    const Word* x = prologue_(start, count);
    Word* prefixes = prefixes_.data();
    for (int64_t row = 0; row < rows; ++row, x += task_.length, prefixes += task_.length) {
      counter_.start(nullptr);
      if (!task_.exclusive) {
        scan_contiguous(prefixes, x, task_.length);
        continue;
      }
      prefixes[0] = task_.combine.identity;
      scan_contiguous(prefixes + 1, x, task_.length - 1);
    }
    store(start, count, prefixes_.data());
  }

  /// Scans steps [first, end) of a line, after `carry`.
  void scan(int64_t line, int64_t first, int64_t end, const Word* carry) {
    counter_.start(carry);
    task_.width == 1 ? scan_row(line, first, end) : scan_columns(line, first, end, true);
  }

  /// The total of steps [first, end) of a line.
  void total(int64_t line, int64_t first, int64_t end, Word* out) {
    counter_.start(nullptr);
    if (task_.width == 1) {
      for (int64_t at = line * task_.length + first, last = line * task_.length + end, count = 0; at < last;
           at += count) {
        count = task_.prologue.span(at, last);
        scan_contiguous(prefixes_.data(), prologue_(at, count), count);
      }
    } else {
      scan_columns(line, first, end, false);
    }
    counter_.total(out);
  }

  void total(Word* out) const { counter_.total(out); }  ///< of the last scan(), without its carry

 private:
  /// Scans the next `count` elements of a row.
  void scan_contiguous(Word* prefixes, const Word* x, int64_t count) {
    for (int64_t taken = 0; count > 0; count -= taken, x += taken, prefixes += taken) {
      taken = std::min(count, counter_.space());
      task_.combine.prefix(prefixes, x, taken, *counter_.base(), *counter_.run());
      counter_.advance(taken);
    }
  }

  void scan_row(int64_t row, int64_t first, int64_t end) {
    Word* prefixes = prefixes_.data();  // prefixes[0] precedes the next element; prefixes[i + 1] includes element i
    *prefixes = *counter_.base();
    const int64_t last = row * task_.length + end;
    for (int64_t at = row * task_.length + first, count = 0; at < last; at += count) {
      count = task_.prologue.span(at, last);
      scan_contiguous(prefixes + 1, prologue_(at, count), count);
      const Word next = prefixes[count];
      store(at, count, prefixes + (task_.exclusive ? 0 : 1));
      *prefixes = next;
    }
  }

  /// Narrow lines several steps at a time.
  void scan_columns(int64_t line, int64_t first, int64_t end, bool stores) {
    const int64_t from = line * task_.width, width = std::min(task_.width, task_.rows - from);
    const int64_t together = width == task_.rows ? block_elements / width : 1;
    for (int64_t step = first, steps = 0; step < end; step += steps) {
      steps = std::min(together, end - step);
      const int64_t start = step * task_.rows + from;
      const Word* x = prologue_(start, steps * width);
      for (int64_t i = 0; i < steps; ++i) take(x + i * width, prefixes_.data() + i * width, width);
      if (stores) store(start, steps * width, prefixes_.data());
    }
  }

  /// Scans one step of a line. In the last line, which may be narrower, the counter's other columns are unused.
  void take(const Word* x, Word* prefixes, int64_t width) {
    std::copy_n(counter_.base(), width, prefixes);
    if (task_.exclusive) task_.combine.accumulate(prefixes, counter_.run(), width);
    task_.combine.accumulate(counter_.run(), x, width);
    if (!task_.exclusive) task_.combine.accumulate(prefixes, counter_.run(), width);
    counter_.advance(1);
  }

  void store(int64_t start, int64_t count, Word* prefixes) {
    constexpr Word negative_zero = 0x80000000U;
    if (task_.from_zero) std::replace(prefixes, prefixes + count, negative_zero, Word{0});
    for (int64_t at = start, taken = 0; at < start + count; at += taken) {
      taken = task_.epilogue.span(at, start + count);
      task_.out.write(at, taken, epilogue_(at, taken, prefixes + (at - start)));
    }
  }

  const ScanTask& task_;
  Evaluator prologue_, epilogue_;
  PrefixCounter counter_;
  Words prefixes_;
};

void scan_short_rows(const ScanTask& task, ThreadPool& pool) {
  const int64_t together = block_elements / task.length;
  pool.parallel_for(task.rows, grain(task.length), [&](int64_t begin, int64_t end) {
    ScanWorker worker(task);
    for (int64_t row = begin; row < end; row += together) worker.scan_short_rows(row, std::min(together, end - row));
  });
}

/// Enough lines for all threads: each line's blocks run in order.
void scan_lines(const ScanTask& task, ThreadPool& pool) {
  pool.parallel_for(task.lines(), grain(task.length * task.width), [&](int64_t begin, int64_t end) {
    ScanWorker worker(task);
    PrefixCounter blocks(task.combine, task.width, task.exact);
    const Words carry(task.width), total(task.width);
    for (int64_t line = begin; line < end; ++line) {
      blocks.start(nullptr);
      for (int64_t first = 0; first < task.length; first += task.block) {
        blocks.prefix(carry.data());
        worker.scan(line, first, std::min(task.length, first + task.block), first == 0 ? nullptr : carry.data());
        worker.total(total.data());
        blocks.add(total.data());
      }
    }
  });
}

/// Few lines: their blocks are distributed twice, for the totals, then for the results.
void scan_blocks(const ScanTask& task, ThreadPool& pool) {
  const int64_t blocks = task.blocks(), all_blocks = task.lines() * blocks;
  const Words carries(all_blocks * task.width), sums(all_blocks * task.width);
  pool.parallel_for(all_blocks, 1, [&](int64_t begin, int64_t end) {
    ScanWorker worker(task);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * task.block;
      if (first + task.block < task.length)
        worker.total(i / blocks, first, first + task.block, sums.data() + i * task.width);
    }
  });
  for (int64_t line = 0; line < task.lines(); ++line) {
    PrefixCounter counter(task.combine, task.width, task.exact);
    counter.start(nullptr);
    for (int64_t i = line * blocks; i + 1 < (line + 1) * blocks; ++i) {
      counter.add(sums.data() + i * task.width);
      counter.prefix(carries.data() + (i + 1) * task.width);
    }
  }
  pool.parallel_for(all_blocks, 1, [&](int64_t begin, int64_t end) {
    ScanWorker worker(task);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * task.block;
      worker.scan(i / blocks, first, std::min(task.length, first + task.block),
                  first == 0 ? nullptr : carries.data() + i * task.width);
    }
  });
}

}  // namespace

void run_scan(const ScanKernel& kernel, ThreadPool& pool) {
  const bool contiguous = std::abs(kernel.out.layout.strides.back()) == 1;  // of the result, as on GL: it has no gaps
  const ScanTask task(contiguous ? kernel : scanned_first(kernel), contiguous ? kernel.kept_rank : 0);
  if (contiguous && task.length <= block_elements / 2) return scan_short_rows(task, pool);
  return task.blocks() == 1 || task.lines() >= 2 * pool.threads() ? scan_lines(task, pool) : scan_blocks(task, pool);
}

}  // namespace eglantine::cpu
