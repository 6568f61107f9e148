#include <algorithm>
#include <cstdlib>
#include <limits>

#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/copied_operands.hpp"
#include "lower/contraction/joined_chunks.hpp"
#include "lower/contraction/program.hpp"
#include "lower/contraction/rounds.hpp"
#include "lower/contraction/schedule/outer.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/contraction/schedule/tuning.hpp"
#include "lower/contraction/step_chunks.hpp"
#include "lower/contraction/stored_epilogue.hpp"
#include "lower/expressions.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {

namespace {

constexpr int64_t most_fused_results = int64_t{1} << 30;

/// Whether a product's own output takes the results as they are.
bool stores_sums(const MatmulKernel& kernel) {
  return is_only(kernel.epilogue, Op::accumulator) && !is_narrow(kernel.out.storage);
}

layout::Box whole(const Contraction& product) {
  Shape start = product.domain;
  std::fill(start.begin(), start.end(), 0);
  return {start, product.domain};
}

/// Where cuts may fall: on multiples of four along axes of vec4 reads or writes.
Shape multiples_of(const Contraction& product, const MatmulShader& shader) {
  Shape multiples = product.domain;
  std::fill(multiples.begin(), multiples.end(), 1);
  if (shader.a == MatmulRead::k_major || shader.b == MatmulRead::k_major) multiples[product.k_axis()] = 4;
  if (shader.a == MatmulRead::mn_major) multiples[product.m_axis()] = 4;
  if (shader.b == MatmulRead::mn_major || shader.vector_store) multiples[product.n_axis()] = 4;
  return multiples;
}

/// Whether one binding covers what a box of those multiples reaches of x.
bool smallest_box_fits(const Target& target, const Layout& x, const Shape& multiples) {
  int64_t reach = 1;
  for (int i = 0; i < multiples.rank(); ++i)
    reach += (std::min(multiples[i], x.shape[i]) - 1) * std::abs(x.strides[static_cast<size_t>(i)]);
  return reach <= (target.max_block_bytes - target.binding_alignment) / 4;
}

void run_box(Lowering& lowering, const Contraction& product, const MatmulShader& shader, const layout::Box& box) {
  MatmulProgram(lowering.target(), product, shader, box, nullptr).dispatch(lowering);
}

/// Dispatches a box in windows that the limits on groups and loop trips allow.
void run_windows(Lowering& lowering, const Contraction& product, const MatmulShader& shader, const layout::Box& box) {
  const Target& target = lowering.target();
  const int m = product.m_axis(), n = product.n_axis(), k = product.k_axis();
  const int64_t tallest = target.max_groups * shader.tile_rows(), widest = target.max_groups * shader.tile_columns(),
                depth = longest_depth(target);
  for (int64_t row = 0; row < box.length[m]; row += tallest)
    for (int64_t column = 0; column < box.length[n]; column += widest)
      for (int64_t first = 0; first < box.length[k]; first += depth) {
        layout::Box window = box;
        const auto cut = [&](int axis, int64_t from, int64_t most) {
          window.start[axis] += from;
          window.length[axis] = std::min(most, box.length[axis] - from);
        };
        cut(m, row, tallest);
        cut(n, column, widest);
        cut(k, first, depth);
        run_box(lowering, product, shader, window);
      }
}

/// A product into its own output, in as few windows as the device's limits allow.
void contract(Lowering& lowering, const Contraction& product) {
  const Target& target = lowering.target();
  const std::vector<Layout> layouts{product.a.layout, product.b.layout, product.out.layout};
  MatmulShader shader = shader_for(target, product, true);
  Shape multiples = multiples_of(product, shader);
  if (!std::all_of(layouts.begin(), layouts.end(),
                   [&](const Layout& x) { return smallest_box_fits(target, x, multiples); })) {
    shader = shader_for(target, product, false);
    multiples = multiples_of(product, shader);
  }
  layout::SplitLimits limits = limits_of(target);
  limits.box_elements = std::numeric_limits<int64_t>::max();  // an invocation counts results, not products
  const int64_t bytes = bytes_of(product.out.storage);
  for (const layout::Box& box : layout::split(product.domain, layouts, multiples, bytes, limits))
    run_windows(lowering, product, shader, box);
}

/// Whether product and epilogue may be one dispatch.
bool may_fuse(const Target& target, const MatmulKernel& kernel, const Contraction& product,
              const MatmulShader& shader) {
  if (kernel.epilogue.domain.elements() > most_fused_results || product.k() > longest_depth(target) ||
      !has_groups_for(target, product, shader))
    return false;
  // Its loop over rows has the epilogue once a column, and nothing else to do beside memory.
  if (shader.form == MatmulForm::outer)
    return !is_narrow(kernel.out.storage) || shader.vector_store || stores_rows_anywhere(kernel, product, shader);
  // A loop has the epilogue once.
  if (shader.results_in_order) return !is_narrow(kernel.out.storage) || shader.ordered_vectors;
  // Neighbours of narrow results share words, and a result of another dtype cannot wait in the output.
  const bool waits =
      shader.form == MatmulForm::tile && kernel.out.dtype() == shader.dtype && !is_narrow(kernel.out.storage);
  const bool of_tiles =
      shader.form == MatmulForm::matrices || shader.form == MatmulForm::tile || shader.form == MatmulForm::fitted;
  const bool words = !is_narrow(kernel.out.storage) || (of_tiles && shader.vector_store);
  const bool stores = words && (waits || unrolls_epilogue(target, shader.dtype, kernel.epilogue));
  if (shader.form == MatmulForm::registers)
    return !shader.batches_together || shader.vector_store || !is_narrow(kernel.out.storage);
  return stores;
}

/// Product and epilogue in one dispatch; false where that needs windows, or more buffers than the device binds.
bool run_fused(Lowering& lowering, const MatmulKernel& kernel, const Contraction& product, const MatmulShader& shader) {
  const Target& target = lowering.target();
  if (!may_fuse(target, kernel, product, shader)) return false;
  const MatmulProgram program(target, product, shader, whole(product), &kernel);
  if (!program.fits(target)) return false;
  program.dispatch(lowering);
  return true;
}

/// Whether the epilogue takes a pass of its own, whose arithmetic overlaps with memory reads: where it has a long
/// function, and results enough to be worth a dispatch. Of a step of a transformer of 6 layers, 38.4 ms on an H100 by
/// kernels that wait for one another, epilogues with one long function (gelu, and the exponentials of attention's
/// gradient) would take 1.0 ms more in the products' stores.
bool applies_epilogue_apart(const Target& target, const Expr& epilogue, const MatmulShader& shader) {
  if (shader.form == MatmulForm::outer) return false;
  constexpr int64_t fewest = int64_t{1} << 21;
  const auto is_long = [&](const Instruction& step) { return takes_many_steps(epilogue, step); };
  return target.large_pages && epilogue.domain.elements() >= fewest && std::ranges::any_of(epilogue.code, is_long);
}

/// A dispatch for all chunks of k, with the tile that was chosen with their number.
void contract_together(Lowering& lowering, const Contraction& product, MatmulShader shader, int64_t end_k) {
  Contraction split = product;
  split.end_k = end_k;
  shader.batch_rank = split.batch_rank;
  shader.vector_store = output_takes_vectors(split, shader);
  MatmulProgram(lowering.target(), split, shader, whole(split), nullptr).dispatch(lowering);
}

/// Whole chunks of one length, and with no barrier between what is left, with no other dispatch beside it.
void contract_apart(Lowering& lowering, const Contraction& product, const Strided& partials, const StepChunks& chunks) {
  const int64_t end = chunks.end / chunks.depth * chunks.depth;
  contract(lowering, in_chunks_of_k(product, partials, {0, end, chunks.depth}));
  if (end == chunks.end) return;
  lowering.next_runs_beside(partials.buffer);
  contract(lowering, in_chunks_of_k(product, partials, {end, chunks.end, chunks.depth}));
}

/// A dispatch whose groups join those chunks; false where its program does not fit. fused: as of MatmulProgram.
bool dispatch_joined(Lowering& lowering, const Contraction& product, MatmulShader shader, const StepChunks& chunks,
                     const MatmulKernel* fused) {
  const Target& target = lowering.target();
  const Contraction split = in_joined_chunks(product, chunks);
  shader.batch_rank = split.batch_rank;
  shader.vector_store = output_takes_vectors(split, shader);
  const JoinedChunks joined =
      joined_chunks(lowering, shader, tiles_of(product, MatmulTile::of(shader)), chunks.count());
  const MatmulProgram program(target, split, shader, whole(split), fused, &joined);
  if (!program.fits(target)) return false;
  program.dispatch(lowering);
  return true;
}

/// A product by split k in one dispatch; false where that cannot be. An epilogue that cannot be fused is applied in a
/// pass of its own, so that sums have the same order with any.
bool run_joined(Lowering& lowering, const MatmulKernel& kernel, const Contraction& product, const MatmulShader& shader,
                const StepChunks& chunks) {
  const Target& target = lowering.target();
  const MatmulTile tile = MatmulTile::of(shader);
  const int64_t words = words_of_partials(shader, tiles_of(product, tile), chunks.count());
  if (!may_join(tile, tiles_of(product, tile), chunks.count()) ||
      !may_run_together(target, product, shader, chunks, words))
    return false;
  if (stores_sums(kernel)) return dispatch_joined(lowering, product, shader, chunks, nullptr);
  if (!applies_epilogue_apart(target, kernel.epilogue, shader) && may_fuse(target, kernel, product, shader) &&
      dispatch_joined(lowering, product, shader, chunks, &kernel))
    return true;
  const Strided sums = lowering.temporary(kernel.a.dtype(), layout::contiguous(kernel.epilogue.domain));
  if (!dispatch_joined(lowering, products_of(kernel, sums).front(), shader, chunks, nullptr)) return false;
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, sums), kernel.out});
  return true;
}

/// A product by split k: where groups do not add up their chunks, partial products are added by a reduction, whose
/// epilogue is the kernel's.
void run_split_k(Lowering& lowering, const MatmulKernel& kernel, const Contraction& product, const MatmulShader& shader,
                 int64_t splits) {
  const auto [chunks, together] = split_k(lowering.target(), product, shader, splits);
  if (run_joined(lowering, kernel, product, shader, chunks)) return;
  const int64_t results = kernel.epilogue.domain.elements();
  const Strided partials = lowering.temporary(kernel.a.dtype(), {{results, chunks.count()}, {1, results}, 0});
  if (together)
    contract_together(lowering, in_chunks_of_k(product, partials, chunks), shader, chunks.end);
  else
    contract_apart(lowering, product, partials, chunks);
  lower(lowering,
        ReduceKernel{load_of(partials), 1, Reduction::sum, layout::ReduceTree::column, kernel.epilogue, kernel.out});
}

/// The products' sums as they are, in their order where a group has them in shared memory.
void accumulate(Lowering& lowering, const MatmulKernel& kernel, const Strided& accumulator) {
  const std::vector<Contraction> products = products_of(kernel, accumulator);
  if (products.size() == 1) {
    const MatmulShader shader = shader_for(lowering.target(), products[0], true);
    MatmulKernel plain = kernel;
    plain.epilogue = accumulator_over(kernel.epilogue.domain, kernel.a.dtype());
    plain.out = accumulator;
    if (shader.results_in_order && run_fused(lowering, plain, products[0], shader)) return;
  }
  for (const Contraction& product : products) contract(lowering, product);
}

/// In as few dispatches as chunks of k, limits and the epilogue allow.
void run(Lowering& lowering, const MatmulKernel& kernel) {
  const std::vector<Contraction> products = products_of(kernel, kernel.out);
  if (products.size() == 1) {
    const MatmulShader shader = shader_for(lowering.target(), products[0], true);
    const int64_t splits = splits_of_k(lowering.target(), products[0], shader);
    if (splits > 1) return run_split_k(lowering, kernel, products[0], shader, splits);
    if ((!stores_sums(kernel) || shader.results_in_order) &&
        !applies_epilogue_apart(lowering.target(), kernel.epilogue, shader) &&
        run_fused(lowering, kernel, products[0], shader))
      return;
  }
  if (stores_sums(kernel)) {
    for (const Contraction& product : products) contract(lowering, product);
    return;
  }
  const Strided accumulator = lowering.temporary(kernel.a.dtype(), layout::contiguous(kernel.epilogue.domain));
  accumulate(lowering, kernel, accumulator);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, accumulator), kernel.out});
}

/// How many of a kernel's rows run first, with the others beside them; 0: all at once.
int64_t first_rows(const Target& target, const MatmulKernel& kernel, const Contraction& product,
                   const MatmulShader& shader) {
  const bool is_tuned = target.tuning != nullptr && !target.tuning->tiles.empty();
  if (target.software || is_tuned || shader.form != MatmulForm::tile) return 0;
  return rows_of_whole_rounds(target, product, unit_of_rows(kernel));
}

void run_in_parts(Lowering& lowering, const MatmulKernel& kernel, int64_t rows) {
  run(lowering, rows_of(kernel, 0, rows));
  lowering.next_runs_beside(kernel.out.buffer);
  run(lowering, rows_of(kernel, rows, kernel.m - rows));
}

/// The same where the epilogue is applied to all rows in a pass of its own.
void run_in_parts_apart(Lowering& lowering, const MatmulKernel& kernel, int64_t rows) {
  MatmulKernel plain = kernel;
  plain.epilogue = accumulator_over(kernel.epilogue.domain, kernel.a.dtype());
  plain.out = lowering.temporary(kernel.a.dtype(), layout::contiguous(kernel.epilogue.domain));
  run_in_parts(lowering, plain, rows);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, plain.out), kernel.out});
}

/// An epilogue with a long function, as far as a value that it stores, where there is one.
std::optional<SplitEpilogue> split_of(const Target& target, const MatmulKernel& kernel) {
  const std::vector<Contraction> products = products_of(kernel, kernel.out);
  if (products.size() != 1) return std::nullopt;
  const MatmulShader shader = shader_for(target, products[0], true);
  if (!applies_epilogue_apart(target, kernel.epilogue, shader)) return std::nullopt;
  return splits_of_k(target, products[0], shader) == 1 ? split_at_stored(kernel.epilogue) : std::nullopt;
}

}  // namespace

void lower(Lowering& lowering, const MatmulKernel& given) {
  if (const std::optional<ReduceKernel> reduce = as_reduction(given)) return lower(lowering, *reduce);
  const Target& target = lowering.target();
  if (const std::optional<SplitEpilogue> split = split_of(target, given)) {
    MatmulKernel first = given;
    first.epilogue = split->first;
    first.out = split->out;
    lower(lowering, first);
    return lower(lowering, MapKernel{split->rest, given.out});
  }
  const MatmulKernel kernel = with_copied_operands(lowering, given);
  const std::vector<Contraction> products = products_of(kernel, kernel.out);
  if (products.size() > 1) return run(lowering, kernel);
  const MatmulShader shader = shader_for(target, products[0], true);
  const int64_t rows = first_rows(target, kernel, products[0], shader);
  if (rows == 0) return run(lowering, kernel);
  const bool apart = !stores_sums(kernel) && (applies_epilogue_apart(target, kernel.epilogue, shader) ||
                                              !may_fuse(target, kernel, products[0], shader));
  apart ? run_in_parts_apart(lowering, kernel, rows) : run_in_parts(lowering, kernel, rows);
}

}  // namespace eglantine::lower
