#include "lower/contraction/few_columns/mirror.hpp"

#include <algorithm>

#include "graph/expression_copier.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

Layout from_the_end(Layout x, int axis) {
  int64_t& step = x.strides[static_cast<size_t>(axis)];
  x.offset += (x.shape[axis] - 1) * step;
  step = -step;
  return x;
}

}  // namespace

bool lies_backwards(const Expr& matrix, int axis) {
  const auto has_step = [&](int64_t step) {
    return std::ranges::any_of(matrix.operands,
                               [&](const Strided& x) { return x.layout.strides[static_cast<size_t>(axis)] == step; });
  };
  return has_step(-1) && !has_step(1);
}

FewColumnsKernel mirrored(const FewColumnsKernel& kernel, int axis) {
  ExpressionBuilder builder(kernel.prologue.domain);
  const auto change = [&](const Layout& x) { return from_the_end(x, axis); };
  builder.end_with(ExpressionCopier(kernel.prologue, builder).copy(change));
  FewColumnsKernel made = kernel;
  made.prologue = builder.take();
  made.vectors.layout = from_the_end(kernel.vectors.layout, axis);
  return made;
}

}  // namespace eglantine::lower
