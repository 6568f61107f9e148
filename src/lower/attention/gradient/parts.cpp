#include "lower/attention/gradient/parts.hpp"

#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/attention/parts.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// The results of `count` lines of heads, counted over all of them.
void restrict_results(AttentionGradientKernel& kernel, int64_t first, int64_t count) {
  const auto restrict_one = [&](Strided& x, int64_t width) {
    x.layout = layout::contiguous({count * width}, x.layout.offset + first * width);
    x.whole = false;
  };
  restrict_one(kernel.out, kernel.features);
  if (kernel.is_of_keys()) restrict_one(kernel.second, kernel.results);
}

void restrict_rows(AttentionGradientPart& part, int64_t first, int64_t count) {
  AttentionGradientKernel& kernel = part.kernel;
  for (Strided* x : {&kernel.q, &kernel.cotangent, &kernel.logsumexp, &kernel.delta, &kernel.mask})
    if (x->buffer) restrict_axis(*x, 2, first, count);
  part.diagonal += first;
  kernel.rows = count;
}

void restrict_columns(AttentionGradientPart& part, int64_t first, int64_t count) {
  AttentionGradientKernel& kernel = part.kernel;
  restrict_axis(kernel.k, 2, first, count);
  restrict_axis(kernel.v, 2, first, count);
  if (kernel.mask.buffer) restrict_axis(kernel.mask, 1, first, count);
  part.diagonal -= first;
  kernel.columns = count;
}

AttentionGradientPart with_heads(AttentionGradientPart part, int64_t first, int64_t count) {
  AttentionGradientKernel& kernel = part.kernel;
  const int64_t together = std::max<int64_t>(1, kernel.together), lines = lines_of(kernel);
  part.first_head += first * together;
  kernel.heads = count * together;
  restrict_results(kernel, first * lines, count * lines);
  return part;
}

AttentionGradientPart with_lines(AttentionGradientPart part, int64_t first, int64_t count) {
  part.kernel.is_of_keys() ? restrict_columns(part, first, count) : restrict_rows(part, first, count);
  restrict_results(part.kernel, first, count);
  return part;
}

AttentionGradientPart with_others(AttentionGradientPart part, int64_t first, int64_t count) {
  part.kernel.is_of_keys() ? restrict_rows(part, first, count) : restrict_columns(part, first, count);
  return part;
}

AttentionGradientPart with_summed_heads(AttentionGradientPart part, int64_t first, int64_t count) {
  part.first_head += first;
  part.kernel.heads = part.kernel.together = count;
  return part;
}

/// One of the halves' results, of so many elements.
Strided half_of(const Strided& both, int64_t half, int64_t count) {
  return {both.buffer, both.storage, layout::contiguous({count}, half * both.layout.shape[1])};
}

void add_halves(Lowering& lowering, const Strided& both, const Strided& out) {
  const int64_t count = out.layout.size();
  ExpressionBuilder builder({count});
  const int first = builder.load(half_of(both, 0, count)), second = builder.load(half_of(both, 1, count));
  builder.end_with(builder.operation(Op::add, DType::f32, {first, second, -1}));
  lower(lowering, MapKernel{builder.take(), out});
}

}  // namespace

AttentionGradientHalves halves_of_heads(const AttentionGradientPart& part) {
  const int64_t heads = part.kernel.heads / std::max<int64_t>(1, part.kernel.together);
  return {with_heads(part, 0, heads / 2), with_heads(part, heads / 2, heads - heads / 2)};
}

AttentionGradientHalves halves_of_lines(const AttentionGradientPart& part, int64_t first) {
  return {with_lines(part, 0, first), with_lines(part, first, lines_of(part.kernel) - first)};
}

AttentionGradientHalves halves_of_sum(const AttentionGradientPart& part) {
  const int64_t heads = part.kernel.together;
  return {with_summed_heads(part, 0, heads / 2), with_summed_heads(part, heads / 2, heads - heads / 2)};
}

AttentionGradientHalves halves_of_others(const AttentionGradientPart& part, int64_t first) {
  return {with_others(part, 0, first), with_others(part, first, others_of(part.kernel) - first)};
}

AttentionGradientSums::AttentionGradientSums(Lowering& lowering, AttentionGradientHalves& halves) {
  const auto memory = [&](const Strided& x) {
    return lowering.temporary(DType::f32, layout::contiguous({2, round_up(x.layout.size(), vector_width)}));
  };
  AttentionGradientKernel &first = halves.first.kernel, &second = halves.second.kernel;
  const int64_t count = first.out.layout.size();
  out_ = memory(first.out);
  first.out = half_of(out_, 0, count);
  second.out = half_of(out_, 1, count);
  if (!first.is_of_keys()) return;
  const int64_t values = first.second.layout.size();
  second_ = memory(first.second);
  first.second = half_of(second_, 0, values);
  second.second = half_of(second_, 1, values);
}

void AttentionGradientSums::add(Lowering& lowering, const AttentionGradientKernel& whole) const {
  add_halves(lowering, out_, whole.out);
  if (whole.is_of_keys()) add_halves(lowering, second_, whole.second);
}

}  // namespace eglantine::lower
