#include <algorithm>
#include <cstdlib>
#include <limits>

#include "backend/cpu/families/reduce.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"

// Runs of few neighbours, of an axis that is reduced, lie between those of other results: where no order changes a bit,
// all of them are combined as memory has them, and then the few that each result has.
namespace eglantine::cpu {

namespace {

// A table of the runs' elements stays in a cache, and each is combined several times. As many parts of the rows as have
// a table depend on the sizes alone.
constexpr int64_t most_parts = 16, largest_table = 1 << 19, fewest_rows = 8, fewest_elements = 1 << 16,
                  longest_run = 31, narrowest_table = 64;

int64_t stride_of(const Layout& x, int axis) { return std::abs(x.strides[static_cast<size_t>(axis)]); }

/// Whether neighbours of a run are nearest in memory, then those of all results, and then others of the same result.
bool has_short_runs(const Layout& x, int kept_rank) {
  const int last = x.shape.rank() - 1;
  int64_t kept = 0, reduced = std::numeric_limits<int64_t>::max();
  for (int axis = 0; axis < last; ++axis)
    if (axis < kept_rank)
      kept = std::max(kept, stride_of(x, axis));
    else
      reduced = std::min(reduced, stride_of(x, axis));
  return stride_of(x, last) == 1 && kept > 0 && kept < reduced;
}

/// In memory's order: the axes around the runs, then the results, then the runs' elements.
Expr in_order_of_memory(const ReduceKernel& kernel) {
  Expr expr = kernel.prologue;
  for (Strided& operand : expr.operands) operand.layout = layout::with_last_before(operand.layout, kernel.kept_rank);
  for (Layout& iota : expr.iotas) iota = layout::with_last_before(iota, kernel.kept_rank);
  expr.domain = layout::with_last_before(layout::contiguous(expr.domain), kernel.kept_rank).shape;
  return reduced_first(expr, kernel.kept_rank + 1);
}

struct RowsOfPart {
  int64_t begin, end;
};

/// Combines rows of the table's width into it.
void add_rows(const EvaluatorProgram& program, const ReductionBlocks& blocks, RowsOfPart rows, int64_t width,
              Word* table) {
  Evaluator evaluate(program);
  for (int64_t at = rows.begin * width, count = 0; at < rows.end * width; at += count) {
    count = program.span(at, rows.end * width);
    const Word* values = evaluate(at, count);
    for (int64_t i = 0, some = 0; i < count; i += some) {
      const int64_t place = (at + i) % width;
      some = std::min(count - i, width - place);
      blocks.accumulate(table + place, values + i, some);
    }
  }
}

/// results[k] = the `run` elements of the table from k * run on.
void add_runs(const ReductionBlocks& blocks, const Word* table, int64_t run, const Words& results, int64_t kept) {
  const Words apart(kept);
  for (int64_t i = 0; i < run; ++i) {
    Word* to = i == 0 ? results.data() : apart.data();
    for (int64_t k = 0; k < kept; ++k) to[k] = table[k * run + i];
    if (i > 0) blocks.accumulate(results.data(), apart.data(), kept);
  }
}

}  // namespace

bool reduce_short_runs(const ReduceKernel& kernel, ThreadPool& pool) {
  const Expr& x = kernel.prologue;
  const int rank = x.domain.rank();
  if (kernel.custom || rank < kernel.kept_rank + 2 || !x.piecewise.empty() || !x.stored.empty()) return false;
  const ReductionBlocks blocks = reduction_blocks(kernel.reduction, x.dtype(), kernel.custom);
  const int64_t kept = sizes_of(kernel).kept, run = x.domain[rank - 1], width = kept * run,
                elements = x.domain.elements();
  // Of zeros of both signs the largest is the one that comes last.
  if (!blocks.exact || is_float(x.dtype()) || run > longest_run || width < narrowest_table || width > largest_table ||
      elements < fewest_elements || elements < fewest_rows * width || x.operands.empty())
    return false;
  if (!std::ranges::all_of(x.operands, [&](const Strided& o) { return has_short_runs(o.layout, kernel.kept_rank); }))
    return false;
  const EvaluatorProgram program(in_order_of_memory(kernel));
  const int64_t rows = elements / width, parts = std::min(most_parts, rows / fewest_rows);
  const Words tables(parts * width), results(kept);
  std::fill_n(tables.data(), parts * width, blocks.identity);
  pool.parallel_for(parts, grain(elements / parts), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      add_rows(program, blocks, {i * rows / parts, (i + 1) * rows / parts}, width, tables.data() + i * width);
  });
  for (int64_t i = 1; i < parts; ++i) blocks.accumulate(tables.data(), tables.data() + i * width, width);
  add_runs(blocks, tables.data(), run, results, kept);
  run_epilogue(EvaluatorProgram(kernel.epilogue), results.data(), Elements(kernel.out), pool);
  return true;
}

}  // namespace eglantine::cpu
