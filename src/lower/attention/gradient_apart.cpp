#include "lower/attention/gradient_apart.hpp"

#include <utility>

#include "graph/expression.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

Strided memory(Lowering& lowering, int64_t lines, int64_t width) {
  return lowering.temporary(DType::f32, layout::contiguous({lines, width}));
}

/// (lines, width) of x's memory, lines `pitch` apart, from element `first` on.
Strided lines_in(const Strided& x, const Shape& shape, int64_t pitch, int64_t first) {
  return {x.buffer, x.storage, {shape, {pitch, 1}, x.layout.offset + first}};
}

/// out = from, or 0 without one.
void put(Lowering& lowering, const Strided* from, const Strided& out) {
  ExpressionBuilder builder(out.layout.shape);
  builder.end_with(from != nullptr ? builder.load(*from) : builder.parameter(DType::f32, {0}));
  lower(lowering, MapKernel{builder.take(), out});
}

void lower_queries(Lowering& lowering, AttentionGradientKernel kernel, const Strided& out) {
  const int64_t parts = std::exchange(kernel.parts, 0), width = kernel.rows * kernel.features;
  kernel.together = 0;
  kernel.second = {};
  if (parts == 1) return lower(lowering, kernel);
  const Strided whole = memory(lowering, kernel.heads, width);
  kernel.out = whole;
  kernel.out.layout = layout::contiguous({kernel.heads * width}, whole.layout.offset);
  lower(lowering, kernel);
  put(lowering, &whole, lines_in(out, {kernel.heads, width}, parts * width, 0));
  put(lowering, nullptr, lines_in(out, {kernel.heads, (parts - 1) * width}, parts * width, width));
}

void lower_keys(Lowering& lowering, AttentionGradientKernel kernel, const Strided& both) {
  const int64_t lines = kernel.heads / kernel.together * kernel.columns, pitch = kernel.features + kernel.results;
  const Strided of_k = memory(lowering, lines, kernel.features), of_v = memory(lowering, lines, kernel.results);
  kernel.parts = 0;
  kernel.out = of_k;
  kernel.out.layout = layout::contiguous({lines * kernel.features}, of_k.layout.offset);
  kernel.second = of_v;
  kernel.second.layout = layout::contiguous({lines * kernel.results}, of_v.layout.offset);
  lower(lowering, kernel);
  put(lowering, &of_k, lines_in(both, {lines, kernel.features}, pitch, 0));
  put(lowering, &of_v, lines_in(both, {lines, kernel.results}, pitch, kernel.features));
}

}  // namespace

void lower_apart(Lowering& lowering, const AttentionGradientKernel& all) {
  lower_queries(lowering, all, all.out);
  lower_keys(lowering, all, all.second);
}

}  // namespace eglantine::lower
