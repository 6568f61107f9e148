#include <algorithm>

#include "eglantine/error.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/contraction/few_columns/as_product.hpp"
#include "lower/contraction/few_columns/as_reduction.hpp"
#include "lower/contraction/few_columns/padding.hpp"
#include "lower/contraction/few_columns/wide_blocks.hpp"
#include "lower/contraction/few_columns/windows.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// How columns that are copied lie in memory: narrow ones wide, which takes no conversions where they are read, unless
/// that would pass a multiprocessor's cache: every group reads all of them then from the one that all share (10,223 x
/// 11,264 of f16 by 14 columns, 1,278 groups of eight rows: 806 MB beside the matrix's 230). Not along rows, where the
/// conversions cost more (10,944 x 86,396 by 14: 2,655 us with wide ones, 3,020 with narrow ones, on an H200).
StorageType storage_of_copy(const Target& target, const FewColumnsProduct& product, int64_t elements) {
  constexpr int64_t cache_bytes = int64_t{1} << 17;
  const StorageType wide = word_storage(product.vectors.dtype());
  const bool is_narrow = !target.software && !product.along_rows && elements * bytes_of(wide) > cache_bytes;
  return is_narrow ? product.vectors.storage : wide;
}

/// The columns in a part of k, as vectors in memory of their own; at the addresses that such a k has in all of it.
/// columns: with memory for so many, the last of which nothing is written to.
Strided copied(Lowering& lowering, const FewColumnsProduct& product, const Window& steps, int64_t columns = 0) {
  const Strided& vectors = product.vectors;
  const Shape& shape = vectors.layout.shape;
  const int k = shape.rank() - 1;
  layout::Box part{shape, shape};
  std::fill(part.start.begin(), part.start.end(), 0);
  part.start[k] = steps.first;
  part.length[k] = steps.count;
  Shape padded = part.length;
  padded[k] = round_up(steps.count, vector_width);
  if (columns > 0) padded[k - 1] = columns;
  const StorageType storage = storage_of_copy(lowering.target(), product, padded.elements());
  Strided made{lowering.temporary(padded.elements() * bytes_of(storage)), storage, layout::contiguous(padded)};
  made.layout.shape = part.length;
  MapKernel map{load_of({vectors.buffer, vectors.storage, layout::restrict_to(vectors.layout, part)}), made};
  collapse(map);
  lower(lowering, map);
  made.layout.shape = shape;
  if (columns > 0) made.layout.shape[k - 1] = columns;
  made.layout.offset -= steps.first;
  return made;
}

/// Wide columns, step after step, each step's a whole number of vectors; of the last one some may be no columns.
Strided copied_across(Lowering& lowering, const FewColumnsProduct& product) {
  const Strided& vectors = product.vectors;
  const int64_t pitch = round_up(product.sizes.columns, vector_width), length = product.sizes.length;
  const StorageType storage = word_storage(vectors.dtype());
  const BufferPtr memory = lowering.temporary(length * pitch * bytes_of(storage));
  MapKernel map{load_of(vectors), {memory, storage, {vectors.layout.shape, {1, pitch}, 0}}};
  collapse(map);
  lower(lowering, map);
  return {memory, storage, {{pitch, length}, {1, pitch}, 0}};
}

/// Whether the results of every group are whole vectors of four, but for the end of all.
bool stores_vectors(const FewColumnsProduct& product, const FewColumnsPlan& plan) {
  if (plan.batches > 0) return plan.batches * product.sizes.rows * product.sizes.columns % vector_width == 0;
  const int64_t run = product.columns_first ? product.sizes.rows : product.sizes.rows * product.sizes.columns;
  const int64_t runs = product.columns_first ? product.sizes.batches * product.sizes.columns : product.sizes.batches;
  const int64_t block = plan.block_rows() * (product.columns_first ? 1 : product.sizes.columns);
  const int64_t neighbours = plan.apart ? 1 : plan.rows_each;
  const int64_t each = plan.lanes > 1 ? vector_width : neighbours * (product.columns_first ? 1 : product.sizes.columns);
  return (runs == 1 || run % vector_width == 0) && block % vector_width == 0 && each % vector_width == 0;
}

/// Whether neighbouring steps of a column are one vector in memory, or one element.
bool reads_as_vectors(const Strided& vectors) {
  return vectors.layout.strides.back() == 1 || vectors.layout.strides.back() == 0;
}

/// Whether a lane reads many columns that do not begin at multiples of four, two vectors for each one; it runs out of
/// registers (docs/performance-notes.md).
bool joins_vectors(const FewColumnsProduct& product) {
  constexpr int64_t few = 4;
  const Layout& columns = product.vectors.layout;
  const auto is_whole = [](int64_t step) { return step % vector_width == 0; };
  return product.sizes.columns > few && columns.strides.back() == 1 &&
         !(is_whole(columns.offset) && std::all_of(columns.strides.begin(), columns.strides.end() - 1, is_whole));
}

/// Whether a matrix takes longer to read than a dispatch, in multiplications of the device.
bool outweighs_a_dispatch(const FewColumnsProduct& product) {
  constexpr double of_an_element = 25;
  const FewColumnsSizes& sizes = product.sizes;
  return of_an_element * static_cast<double>(sizes.batches * sizes.rows) * static_cast<double>(sizes.length) >
         multiplications_of_copying_dispatch;
}

/// Rows side by side that vectors would cross from batch to batch: neighbouring invocations read neighbouring elements
/// of them, where a vector of steps would take four loads.
bool reads_rows_apart(const Target& target, const FewColumnsProduct& product) {
  const Expr& matrix = product.matrix;
  return !target.software && product.rows_beside && !product.along_rows && matrix.piecewise.empty() &&
         matrix.stored.empty();
}

/// Whether columns are copied, so that lanes read vectors of four steps.
bool copies_columns(const Target& target, const FewColumnsProduct& product) {
  if (product.across) return false;
  return !reads_as_vectors(product.vectors) ||
         (!target.software && joins_vectors(product) && outweighs_a_dispatch(product));
}

/// Whether four neighbouring columns are one vector in memory, at every step. On hardware lanes read steps that lie
/// apart then: faster than a copy in the other order where one load takes all columns of a step.
bool reads_across(const Target& target, const FewColumnsProduct& product) {
  constexpr int64_t one_load = 16;
  const Layout& columns = product.vectors.layout;
  const bool quick = product.sizes.columns * bytes_of(product.vectors.storage) <= one_load;
  if (!target.software && !quick) return false;
  return columns.shape.rank() == 2 && product.sizes.batches == 1 && !product.along_rows && columns.strides[0] == 1 &&
         columns.strides[1] % vector_width == 0 && columns.offset % vector_width == 0 &&
         product.sizes.columns % vector_width == 0;
}

/// Product and epilogue in one dispatch; false where that takes chunks or windows.
bool run_fused(Lowering& lowering, const FewColumnsKernel& kernel, const FewColumnsProduct& product,
               const FewColumnsPlan& plan) {
  if (plan.chunk_quads < product.quads()) return false;
  const FewColumnsResults results{kernel.epilogue, kernel.out, 0, product.columns_first, stores_vectors(product, plan)};
  const FewColumnsWindow whole{{0, product.sizes.batches}, {0, product.sizes.rows}, {0, 1}};
  const auto program = program_of<FewColumnsProgram>(lowering.target(), product, plan, whole, results);
  if (!program.fits() || program.bindings() > lowering.target().max_bindings) return false;
  program.dispatch(lowering);
  return true;
}

/// Batches of few rows, several a group; false where there are none, or windows.
bool run_together(Lowering& lowering, const FewColumnsKernel& kernel, FewColumnsProduct product) {
  const std::optional<FewColumnsPlan> plan = plan_batches_together(lowering.target(), product);
  if (!plan) return false;
  product.along_rows = plan->along_rows;
  return run_fused(lowering, kernel, product, *plan);
}

/// Where chunks have their results, over (batch, row, column, chunk), or (batch, column, row, chunk).
struct Partials {
  Strided memory;
  FewColumnsResults results;
  int64_t chunks;
};

Partials partials_for(Lowering& lowering, const FewColumnsProduct& product, int64_t chunks) {
  const int64_t pitch = round_up(product.results(), vector_width);
  const Strided flat = lowering.temporary(product.dtype(), layout::contiguous({chunks * pitch}));
  return {
      flat, {accumulator_over(flat.layout.shape, product.dtype()), flat, pitch, product.columns_first, false}, chunks};
}

/// Adds up the chunks' results of the first `columns`, in the order of the kernel's.
ReduceKernel sum_of(const FewColumnsProduct& product, const Partials& partials, int64_t columns) {
  const int64_t b = product.sizes.batches, r = product.sizes.rows, c = product.sizes.columns;
  const bool first = product.columns_first, stored_first = partials.results.columns_first;
  const int64_t row_step = stored_first ? 1 : c, column_step = stored_first ? r : 1;
  Layout layout{{b, first ? columns : r, first ? r : columns, partials.chunks},
                {r * c, first ? column_step : row_step, first ? row_step : column_step, partials.results.pitch},
                0};
  ReduceKernel sum;
  sum.prologue = load_of({partials.memory.buffer, partials.memory.storage, layout});
  sum.kept_rank = 3;
  sum.reduction = Reduction::sum;
  sum.tree = layout::ReduceTree::column;
  return sum;
}

void finish(Lowering& lowering, const FewColumnsKernel& kernel, const FewColumnsProduct& product,
            const Partials& partials) {
  ReduceKernel sum = sum_of(product, partials, sizes_of(kernel).columns);
  if (partials.chunks > 1) {
    sum.epilogue = kernel.epilogue;
    sum.out = kernel.out;
    collapse(sum);
    return lower(lowering, sum);
  }
  const Strided total = lowering.temporary(product.dtype(), layout::contiguous(kernel.epilogue.domain));
  MapKernel in_order{sum.prologue, {total.buffer, total.storage, layout::contiguous(sum.prologue.domain)}};
  collapse(in_order);
  lower(lowering, in_order);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, total), kernel.out});
}

void run_windows(Lowering& lowering, const FewColumnsProduct& product, const FewColumnsPlan& plan,
                 const FewColumnsWindows& windows, const FewColumnsResults& results) {
  FewColumnsProduct part = product;
  int64_t copied_chunk = -1;
  for (const FewColumnsWindow& window : windows.windows) {
    if (windows.copies_columns && window.chunks.first != copied_chunk) {
      copied_chunk = window.chunks.first;
      const int64_t chunk = plan.chunk_quads * vector_width, first = copied_chunk * chunk;
      part.across = false;
      part.vectors = copied(lowering, product, {first, std::min(chunk, product.sizes.length - first)});
    }
    const auto program = program_of<FewColumnsProgram>(lowering.target(), part, plan, window, results);
    if (!program.fits()) throw DeviceError("[matmul] a window passes what one storage buffer binding covers");
    program.dispatch(lowering);
  }
}

/// Results of chunks or windows, then what adds them up or applies the epilogue. False where windows would be tiny.
bool run_apart(Lowering& lowering, const FewColumnsKernel& kernel, const FewColumnsProduct& product,
               FewColumnsPlan plan) {
  std::optional<FewColumnsWindows> windows = few_columns_windows(lowering.target(), product, plan);
  if (!windows) return false;
  plan.chunk_quads = windows->chunk_quads;
  if (plan.chunk_quads % plan.run != 0) plan.run = 1;
  Partials partials = partials_for(lowering, product, ceil_divide(product.quads(), plan.chunk_quads));
  // In windows, results of some rows lie together.
  const bool whole = windows->windows.size() == 1;
  partials.results.columns_first = product.columns_first && whole;
  partials.results.vectors = whole && stores_vectors(product, plan);
  run_windows(lowering, product, plan, *windows, partials.results);
  finish(lowering, kernel, product, partials);
  return true;
}

/// The matrix in memory of its own, rows one after the other.
FewColumnsProduct materialized(Lowering& lowering, FewColumnsProduct product) {
  const Shape& domain = product.matrix.domain;
  Strided matrix = materialize(lowering, product.matrix, layout::contiguous(domain));
  matrix.layout = layout::contiguous({product.sizes.batches, product.sizes.rows, product.sizes.length});
  product.matrix = load_of(matrix);
  product.kept_rank = 2;
  product.across = product.across && !product.along_rows;
  product.along_rows = false;
  return product;
}

}  // namespace

void lower(Lowering& lowering, const FewColumnsKernel& kernel) {
  const Target& target = lowering.target();
  if (const std::optional<ReduceKernel> sum = as_reduction(target, kernel)) return lower(lowering, *sum);
  if (const std::optional<MatmulKernel> product = as_product(target, kernel)) return lower(lowering, *product);
  FewColumnsProduct product = product_of(kernel);
  if (run_together(lowering, kernel, product)) return;
  product.rows_apart = reads_rows_apart(target, product);
  product.along_rows = product.along_rows || product.rows_apart;
  product.across = reads_across(target, product);
  const bool pads = gains_by_padding(target, product);
  if (product.vectors.layout.shape.rank() == 2 && gains_by_wide_blocks(target, product)) {
    product.vectors = copied_across(lowering, product);
    product.across = true;
  } else if (pads) {
    product.vectors = copied(lowering, product, {0, product.sizes.length}, padded_columns);
    product.sizes.columns = padded_columns;
  } else if (copies_columns(target, product)) {
    product.vectors = copied(lowering, product, {0, product.sizes.length});
  }
  const FewColumnsPlan plan = plan_few_columns(target, product);
  if ((!pads && run_fused(lowering, kernel, product, plan)) || run_apart(lowering, kernel, product, plan)) return;
  const FewColumnsProduct in_rows = materialized(lowering, product);
  if (!run_apart(lowering, kernel, in_rows, plan_few_columns(target, in_rows)))
    throw DeviceError("[matmul] one storage buffer binding covers " + std::to_string(target.max_block_bytes) +
                      " bytes, less than a part of a row; raise EGLANTINE_MAX_BLOCK_BYTES");
}

}  // namespace eglantine::lower
