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
void restrict_results(AttentionKernel& kernel, int64_t first, int64_t count) {
  const int64_t results = kernel.results;
  kernel.epilogue = accumulator_over({count * results}, DType::f32);
  kernel.out.layout = layout::contiguous({count * results}, kernel.out.layout.offset + first * results);
  kernel.out.whole = false;
  if (!kernel.second.buffer) return;
  kernel.second.layout = layout::contiguous({count}, kernel.second.layout.offset + first);
  kernel.second.whole = false;
}

AttentionPart with_heads(AttentionPart part, int64_t first, int64_t count) {
  part.kernel.heads = count;
  part.first_head += first;
  restrict_results(part.kernel, first * part.kernel.rows, count * part.kernel.rows);
  return part;
}

AttentionPart with_rows(AttentionPart part, int64_t first, int64_t count) {
  AttentionKernel& kernel = part.kernel;
  restrict_axis(kernel.q, 2, first, count);
  if (kernel.mask.buffer) restrict_axis(kernel.mask, 2, first, count);
  part.diagonal += first;
  kernel.rows = count;
  restrict_results(kernel, first, count);
  return part;
}

/// The weights of two parts, relative to the larger, and their sum.
struct Weights {
  int largest, first, second, total;
};

Weights weights_of(ExpressionBuilder& builder, int first, int second) {
  const auto of = [&](Op op, int x, int y = -1, int z = -1, DType dtype = DType::f32) {
    return builder.operation(op, dtype, {x, y, z});
  };
  // -infinity is log 0, a number that the cache does not take for a kernel's (Parameter::of_lowering is another way).
  const int zero = builder.parameter(DType::f32, {0}), hidden = of(Op::log, zero);
  const int larger = of(Op::maximum, first, second);
  const int base = of(Op::where, of(Op::eq, larger, hidden, -1, DType::boolean), zero, larger);
  const int a = of(Op::exp, of(Op::sub, first, base)), b = of(Op::exp, of(Op::sub, second, base));
  return {base, a, b, of(Op::add, a, b)};
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

AttentionHalves AttentionHalves::of(Lowering& lowering, const AttentionKernel& kernel) {
  const int64_t rows = kernel.heads * kernel.rows;
  return {lowering.temporary(DType::f32, layout::contiguous({2, round_up(rows * kernel.results, vector_width)})),
          lowering.temporary(DType::f32, layout::contiguous({2, rows}))};
}

Strided AttentionHalves::result(const AttentionKernel& kernel, int half) const {
  const int64_t count = kernel.heads * kernel.rows * kernel.results;
  return {results.buffer, results.storage, layout::contiguous({count}, half * results.layout.shape[1])};
}

Strided AttentionHalves::logsumexp(const AttentionKernel& kernel, int half) const {
  const int64_t count = kernel.heads * kernel.rows;
  return {logsumexps.buffer, logsumexps.storage, layout::contiguous({count}, half * count)};
}

void AttentionHalves::merge(Lowering& lowering, const AttentionKernel& kernel) const {
  const int64_t rows = kernel.heads * kernel.rows;
  const auto of_rows = [&](int half, const Shape& domain, int64_t stride) {
    Strided x = logsumexp(kernel, half);
    x.layout = {domain, {stride}, x.layout.offset};
    if (domain.rank() == 2) x.layout.strides.push_back(0);
    return x;
  };
  const auto of_results = [&](int half) {
    Strided x = result(kernel, half);
    x.layout = {{rows, kernel.results}, {kernel.results, 1}, x.layout.offset};
    return x;
  };
  ExpressionBuilder builder({rows, kernel.results});
  const auto of = [&](Op op, int x, int y = -1, int z = -1, DType dtype = DType::f32) {
    return builder.operation(op, dtype, {x, y, z});
  };
  const Shape domain{rows, kernel.results};
  const Weights weights = weights_of(builder, builder.load(of_rows(0, domain, 1)), builder.load(of_rows(1, domain, 1)));
  const int sum = of(Op::add, of(Op::mul, weights.first, builder.load(of_results(0))),
                     of(Op::mul, weights.second, builder.load(of_results(1))));
  const int zero = builder.parameter(DType::f32, {0});
  const int nothing = of(Op::eq, weights.total, zero, -1, DType::boolean);
  builder.end_with(of(Op::where, nothing, zero, of(Op::div, sum, weights.total)));
  MapKernel merged{builder.take(),
                   {kernel.out.buffer, kernel.out.storage, {domain, {kernel.results, 1}, kernel.out.layout.offset}}};
  collapse(merged);
  lower(lowering, merged);
  if (!kernel.second.buffer) return;
  ExpressionBuilder sums({rows});
  const Weights both = weights_of(sums, sums.load(of_rows(0, {rows}, 1)), sums.load(of_rows(1, {rows}, 1)));
  const int log = sums.operation(Op::log, DType::f32, {both.total, -1, -1});
  sums.end_with(sums.operation(Op::add, DType::f32, {log, both.largest, -1}));
  lower(lowering, MapKernel{sums.take(),
                            {kernel.second.buffer, kernel.second.storage,
                             layout::contiguous({rows}, kernel.second.layout.offset)}});
}

}  // namespace eglantine::lower
