#include <algorithm>

#include "eglantine/error.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/attention/column_parts.hpp"
#include "lower/attention/parts.hpp"
#include "lower/attention/splits.hpp"
#include "lower/expressions.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

/// Whether the dispatch of a part has numbers and groups for it, and the driver runs its loops to their end.
bool is_counted(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  return kernel.epilogue.domain.elements() <= elements_a_dispatch && kernel.heads <= target.max_groups &&
         kernel.rows <= target.max_groups * tile.tile_rows() && kernel.columns <= longest_columns(target, kernel, tile);
}

bool run_at_once(Lowering& lowering, const AttentionPart& part, const AttentionTile& tile) {
  const Target& target = lowering.target();
  if (!is_counted(target, part.kernel, tile)) return false;
  const auto program = program_of<AttentionProgram>(target, part, tile);
  if (!program.fits() || program.bindings() > target.max_bindings) return false;
  lowering.dispatch(program.dispatch());
  return true;
}

/// Columns in splits, whose results are then merged.
bool run_in_splits(Lowering& lowering, const AttentionKernel& kernel, const AttentionTile& tile) {
  AttentionPart part{.kernel = kernel, .partial = true, .split = split_columns(lowering.target(), kernel, tile)};
  if (part.split == 0) return false;
  const ColumnParts parts = ColumnParts::of(lowering, kernel, part.splits());
  part.kernel.epilogue = accumulator_over(parts.all_results().layout.shape, DType::f32);
  part.kernel.out = parts.all_results();
  part.kernel.second = parts.all_sums();
  if (!run_at_once(lowering, part, tile)) return false;
  if (is_only(kernel.epilogue, Op::accumulator) && parts.merges_into(kernel.out)) {
    parts.merge(lowering, kernel.out, kernel.second);
    return true;
  }
  const Strided merged = lowering.temporary(DType::f32, layout::contiguous(kernel.epilogue.domain));
  parts.merge(lowering, merged, kernel.second);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, merged), kernel.out});
  return true;
}

/// Bytes that one head's matrix of an operand reaches.
int64_t bytes_of_matrix(const Strided& x) {
  const Layout& at = x.layout;
  return layout::reach({Shape(at.shape.end() - 2, at.shape.end()), {at.strides.end() - 2, at.strides.end()}, 0})
             .count() *
         bytes_of(x.storage);
}

/// Columns are cut where a binding does not cover a head's keys or values, or rows leave nothing to cut.
bool cuts_columns(const Target& target, const AttentionKernel& kernel, const AttentionTile& tile) {
  const int64_t covered = target.max_block_bytes - 2 * target.binding_alignment;
  return kernel.columns > longest_columns(target, kernel, tile) || bytes_of_matrix(kernel.k) > covered ||
         bytes_of_matrix(kernel.v) > covered || kernel.rows == 1;
}

void run_parts(Lowering& lowering, const AttentionPart& part, const AttentionTile& tile) {
  if (run_at_once(lowering, part, tile)) return;
  const AttentionKernel& kernel = part.kernel;
  const auto run_both = [&](const std::pair<AttentionPart, AttentionPart>& halves) {
    run_parts(lowering, halves.first, tile);
    run_parts(lowering, halves.second, tile);
  };
  if (kernel.heads > 1) return run_both(halves_of_heads(part));
  if (!cuts_columns(lowering.target(), kernel, tile)) return run_both(halves_of_rows(part));
  if (kernel.columns == 1)
    throw DeviceError("[scaled_dot_product_attention] one storage buffer binding covers " +
                      std::to_string(lowering.target().max_block_bytes) +
                      " bytes, less than a row; raise EGLANTINE_MAX_BLOCK_BYTES");
  const ColumnParts halves = ColumnParts::of(lowering, kernel, 2);
  const int64_t first = std::max<int64_t>(1, kernel.columns / 2 / tile.tile_columns() * tile.tile_columns());
  run_parts(lowering, with_columns(part, 0, first, halves.results_of(0), halves.sums_of(0)), tile);
  run_parts(lowering, with_columns(part, first, kernel.columns - first, halves.results_of(1), halves.sums_of(1)), tile);
  if (part.partial)
    halves.add(lowering, kernel.out, kernel.second);
  else
    halves.merge(lowering, kernel.out, kernel.second);
}

}  // namespace

void lower(Lowering& lowering, const AttentionKernel& given) {
  AttentionKernel kernel = given;
  for (Strided* x : {&kernel.q, &kernel.k, &kernel.v}) copy_apart(lowering, *x);
  const AttentionTile tile = attention_tile(lowering.target(), kernel);
  if (run_in_splits(lowering, kernel, tile)) return;
  if (run_at_once(lowering, {kernel}, tile)) return;
  AttentionPart plain{kernel};
  for (Strided* x : {&plain.kernel.q, &plain.kernel.k, &plain.kernel.v, &plain.kernel.mask})
    copy_scattered(lowering, *x);
  if (is_only(kernel.epilogue, Op::accumulator) && !is_narrow(kernel.out.storage) && kernel.out.layout.is_contiguous())
    return run_parts(lowering, plain, tile);
  const Strided results = lowering.temporary(DType::f32, layout::contiguous(kernel.epilogue.domain));
  plain.kernel.epilogue = accumulator_over(kernel.epilogue.domain, DType::f32);
  plain.kernel.out = results;
  run_parts(lowering, plain, tile);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, results), kernel.out});
}

}  // namespace eglantine::lower
