#include <algorithm>
#include <optional>

#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/groups_program.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/expressions.hpp"

/// Contractions over groups of axes: read in place, or where a device's limits forbid it by way of matrices in memory.
namespace eglantine::lower {
namespace {

// Shaders number lines, steps and results in 32 bits.
constexpr int64_t most_numbers = int64_t{1} << 30;

/// Where results wait for the epilogue: as those of the kernel, in their order.
Strided results_for(Lowering& lowering, const ContractionKernel& kernel) {
  return lowering.temporary(kernel.left.dtype(), layout::contiguous(kernel.epilogue.domain));
}

/// Whether shaders can number what the kernel reads and writes.
bool is_countable(const ContractionKernel& kernel) {
  return kernel.length <= most_numbers && kernel.epilogue.domain.elements() <= most_numbers &&
         kernel.left.domain.elements() / kernel.length <= most_numbers &&
         kernel.right.domain.elements() / kernel.length <= most_numbers;
}

/// The program; nothing where it cannot run.
std::optional<GroupsProgram> runnable(const Target& target, const ContractionKernel& kernel, const StepChunks& chunks,
                                      const JoinedChunks* joined = nullptr) {
  // Partial sums have the places of the tile that vectors choose.
  auto program = joined != nullptr ? GroupsProgram(target, kernel, chunks, joined, true)
                                   : program_of<GroupsProgram>(target, kernel, chunks, joined);
  if (!program.fits() || program.bindings() > target.max_bindings || !program.has_groups(target)) return std::nullopt;
  return program;
}

/// In one dispatch: all of k in one chunk, or in chunks that are joined.
bool run_whole(Lowering& lowering, const ContractionKernel& kernel, const StepChunks& chunks,
               const JoinedChunks* joined = nullptr) {
  const Target& target = lowering.target();
  ContractionKernel plain = kernel;
  if (!applies_epilogue(target, kernel)) {
    plain.epilogue = accumulator_over(kernel.epilogue.domain, kernel.left.dtype());
    plain.out = results_for(lowering, kernel);
  }
  const std::optional<GroupsProgram> program = runnable(target, plain, chunks, joined);
  if (!program) return false;
  program->dispatch(lowering);
  if (!applies_epilogue(target, kernel))
    lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, plain.out), kernel.out});
  return true;
}

/// Programs for all chunks, in as few dispatches as bindings allow: results of chunk i are at i * results of
/// `partials`. Empty where a chunk alone does not fit.
std::vector<GroupsProgram> programs_of(const Target& target, const ContractionKernel& kernel, const StepChunks& all,
                                       const Strided& partials) {
  const int64_t results = kernel.epilogue.domain.elements();
  std::vector<GroupsProgram> programs;
  int64_t at_once = all.count();
  for (int64_t chunk = 0; chunk < all.count();) {
    const StepChunks some{chunk * all.depth, std::min(all.end, (chunk + at_once) * all.depth), all.depth};
    ContractionKernel plain = kernel;
    plain.epilogue = accumulator_over({results * some.count()}, kernel.left.dtype());
    plain.out = partials;
    plain.out.layout = layout::contiguous(plain.epilogue.domain, chunk * results);
    if (std::optional<GroupsProgram> program = runnable(target, plain, some)) {
      programs.push_back(std::move(*program));
      chunk += some.count();
    } else if (at_once == 1) {
      return {};
    } else {
      at_once = (at_once + 1) / 2;
    }
  }
  return programs;
}

/// The axes of a layout by decreasing stride.
Axes by_stride(const Layout& x) {
  Axes order;
  for (int i = 0; i < x.shape.rank(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return x.strides[static_cast<size_t>(a)] > x.strides[static_cast<size_t>(b)];
  });
  return order;
}

void permute(Expr& expr, const Axes& order) {
  const Shape domain = expr.domain;
  for (int i = 0; i < order.rank(); ++i) expr.domain[i] = domain[static_cast<int>(order[i])];
  for (Strided& operand : expr.operands) operand.layout = layout::permute(operand.layout, order);
  for (Layout& iota : expr.iotas) iota = layout::permute(iota, order);
}

/// The sum of `chunks` partial results, which lie in the order of the contraction's own, in that of its output; nothing
/// where that is not contiguous.
std::optional<ReduceKernel> sum_along_output(const ContractionKernel& kernel, const Strided& partials, int64_t chunks) {
  const Axes order = by_stride(kernel.out.layout);
  Strided out = kernel.out, terms = partials;
  out.layout = layout::permute(out.layout, order);
  if (!out.layout.is_contiguous() || order.rank() == max_rank) return std::nullopt;
  Expr epilogue = kernel.epilogue;
  permute(epilogue, order);
  terms.layout = layout::permute(layout::contiguous(kernel.epilogue.domain), order);
  terms.layout.shape.push_back(chunks);
  terms.layout.strides.push_back(kernel.epilogue.domain.elements());
  return ReduceKernel{load_of(terms), order.rank(), Reduction::sum, layout::ReduceTree::column, epilogue, out};
}

/// Adds up the chunks' results, always in the same order.
void add_chunks(Lowering& lowering, const ContractionKernel& kernel, const Strided& partials, int64_t chunks) {
  if (std::optional<ReduceKernel> sum = sum_along_output(kernel, partials, chunks)) {
    collapse(*sum);
    return lower(lowering, *sum);
  }
  const int64_t results = kernel.epilogue.domain.elements();
  const Strided sums = results_for(lowering, kernel),
                terms{partials.buffer, partials.storage, {{results, chunks}, {1, results}, 0}};
  Strided flat = sums;
  flat.layout = layout::contiguous({results});
  lower(lowering, ReduceKernel{load_of(terms), 1, Reduction::sum, layout::ReduceTree::column,
                               accumulator_over({results}, kernel.left.dtype()), flat});
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, sums), kernel.out});
}

StepChunks halved(StepChunks chunks) {
  constexpr int64_t multiple = 16;
  chunks.depth = round_up(ceil_divide(chunks.depth, 2), multiple);
  return chunks;
}

/// In several chunks of k, or in more where a binding does not cover what those read.
bool run_in_chunks(Lowering& lowering, const ContractionKernel& kernel, StepChunks chunks) {
  const int64_t results = kernel.epilogue.domain.elements();
  while (chunks.count() > 1 && chunks.count() <= most_chunks && results <= most_numbers / chunks.count()) {
    const Strided partials = lowering.temporary(kernel.left.dtype(), layout::contiguous({chunks.count() * results}));
    const std::vector<GroupsProgram> programs = programs_of(lowering.target(), kernel, chunks, partials);
    for (const GroupsProgram& program : programs) program.dispatch(lowering);
    if (!programs.empty()) return add_chunks(lowering, kernel, partials, chunks.count()), true;
    if (halved(chunks).depth == chunks.depth) return false;
    chunks = halved(chunks);
  }
  return false;
}

/// Windows and the like are read where they lie.
bool run_in_place(Lowering& lowering, const ContractionKernel& kernel) {
  if (!is_countable(kernel)) return false;
  const StepChunks chunks = chunks_for(lowering.target(), kernel);
  const std::optional<JoinedChunks> joined = joined_chunks(lowering, kernel, chunks);
  if (joined && run_whole(lowering, kernel, chunks, &*joined)) return true;
  if (chunks.count() > 1) return run_in_chunks(lowering, kernel, chunks);
  return run_whole(lowering, kernel, chunks) || run_in_chunks(lowering, kernel, halved(chunks));
}

/// A side as matrices of (lines, length) in memory, one for each batch.
Strided in_memory(Lowering& lowering, const Expr& side, const ContractionKernel& kernel, int64_t lines) {
  Strided made = materialize(lowering, side, layout::contiguous(side.domain));
  made.layout = layout::contiguous({kernel.batches, lines, kernel.length});
  return made;
}

void run_by_matrices(Lowering& lowering, const ContractionKernel& kernel) {
  MatmulKernel product;
  product.batch = {kernel.batches};
  product.m = kernel.rows;
  product.n = kernel.columns;
  product.k = kernel.length;
  product.a = in_memory(lowering, kernel.left, kernel, kernel.rows);
  product.b = in_memory(lowering, kernel.right, kernel, kernel.columns);
  std::swap(product.b.layout.shape[1], product.b.layout.shape[2]);
  std::swap(product.b.layout.strides[1], product.b.layout.strides[2]);
  product.out = results_for(lowering, kernel);
  product.epilogue = accumulator_over(kernel.epilogue.domain, kernel.left.dtype());
  lower(lowering, product);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, product.out), kernel.out});
}

}  // namespace

void lower(Lowering& lowering, const ContractionKernel& kernel) {
  if (!run_in_place(lowering, kernel)) run_by_matrices(lowering, kernel);
}

}  // namespace eglantine::lower
