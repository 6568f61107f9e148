#include "lower/attention/parts.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// The results of rows of heads, counted over all of them.
void restrict_results(AttentionPart& part, int64_t first, int64_t count) {
  AttentionKernel& kernel = part.kernel;
  const int64_t results = kernel.results, of_row = part.partial ? 2 : 1;
  kernel.epilogue = accumulator_over({count * results}, DType::f32);
  kernel.out.layout = layout::contiguous({count * results}, kernel.out.layout.offset + first * results);
  kernel.out.whole = false;
  if (!kernel.second.buffer) return;
  kernel.second.layout = layout::contiguous({count * of_row}, kernel.second.layout.offset + first * of_row);
  kernel.second.whole = false;
}

AttentionPart with_heads(AttentionPart part, int64_t first, int64_t count) {
  part.kernel.heads = count;
  part.first_head += first;
  restrict_results(part, first * part.kernel.rows, count * part.kernel.rows);
  return part;
}

AttentionPart with_rows(AttentionPart part, int64_t first, int64_t count) {
  AttentionKernel& kernel = part.kernel;
  restrict_axis(kernel.q, 2, first, count);
  if (kernel.mask.buffer) restrict_axis(kernel.mask, 2, first, count);
  part.diagonal += first;
  kernel.rows = count;
  restrict_results(part, first, count);
  return part;
}

}  // namespace

void restrict_axis(Strided& x, int from_end, int64_t first, int64_t count) {
  const int axis = x.layout.shape.rank() - from_end;
  x.layout.offset += first * x.layout.strides[static_cast<size_t>(axis)];
  x.layout.shape[axis] = count;
  x.whole = false;
}

void copy_scattered(Lowering& lowering, Strided& x) {
  if (!x.buffer) return;
  const int64_t line = (x.layout.shape[x.layout.shape.rank() - 1] - 1) * std::abs(x.layout.strides.back());
  if (2 * line * bytes_of(x.storage) > lowering.target().max_block_bytes)
    x = materialize(lowering, load_of(x), layout::contiguous(x.layout.shape));
}

void copy_apart(Lowering& lowering, Strided& x) {
  // Of fewer elements the copy's dispatch takes longer than the reads.
  constexpr int64_t half_a_sector = 16, fewest = int64_t{1} << 20, most_bytes = int64_t{1} << 30;
  const Layout& at = x.layout;
  int64_t nearest = std::numeric_limits<int64_t>::max();
  for (int axis = at.shape.rank() - 2; axis < at.shape.rank(); ++axis)
    if (at.shape[axis] > 1) nearest = std::min(nearest, std::abs(at.strides[static_cast<size_t>(axis)]));
  const int64_t elements = at.shape.elements();
  if (nearest == std::numeric_limits<int64_t>::max()) return;
  const bool is_apart = nearest > half_a_sector / bytes_of(x.storage) && layout::reach(at).count() >= elements;
  const bool gains = elements >= fewest && elements * bytes_of(x.storage) <= most_bytes;
  if (is_apart && gains && !lowering.target().software)
    x = materialize(lowering, load_of(x), layout::contiguous(at.shape));
}

std::pair<AttentionPart, AttentionPart> halves_of_heads(const AttentionPart& part) {
  const int64_t heads = part.kernel.heads;
  return {with_heads(part, 0, heads / 2), with_heads(part, heads / 2, heads - heads / 2)};
}

std::pair<AttentionPart, AttentionPart> halves_of_rows(const AttentionPart& part) {
  const int64_t rows = part.kernel.rows;
  return {with_rows(part, 0, rows / 2), with_rows(part, rows / 2, rows - rows / 2)};
}

AttentionPart with_columns(const AttentionPart& part, int64_t first, int64_t count, const Strided& out,
                           const Strided& second) {
  AttentionPart made = part;
  made.partial = true;
  AttentionKernel& kernel = made.kernel;
  restrict_axis(kernel.k, 2, first, count);
  restrict_axis(kernel.v, 2, first, count);
  if (kernel.mask.buffer) restrict_axis(kernel.mask, 1, first, count);
  made.diagonal -= first;
  kernel.columns = count;
  kernel.epilogue = accumulator_over(out.layout.shape, DType::f32);
  kernel.out = out;
  kernel.second = second;
  return made;
}

}  // namespace eglantine::lower
