#include "lower/contraction/few_columns/as_reduction.hpp"

#include <algorithm>

#include "graph/kernel/expression_copier.hpp"
#include "graph/kernel/few_columns.hpp"
#include "layout/layout.hpp"
#include "lower/reduce/rewrites/rows_in_fours.hpp"

namespace eglantine::lower {
namespace {

/// Whether the matrix reads so few elements that they stay in caches: its loads, not memory, take the time.
bool is_of_far_fewer(const Expr& matrix) {
  constexpr int64_t times = 8;
  return std::ranges::all_of(matrix.operands, [&](const Strided& operand) {
    return layout::reach(operand.layout).count() * times <= matrix.domain.elements();
  });
}

/// matrix(r, k) * column(k).
Expr products_of(const FewColumnsKernel& kernel) {
  const Expr& matrix = kernel.prologue;
  ExpressionBuilder builder(matrix.domain);
  const int32_t element = ExpressionCopier(matrix, builder).copy([](const Layout& x) { return x; });
  Strided column = kernel.vectors;
  column.layout.offset += kernel.columns.offset;
  builder.end_with(builder.operation(Op::mul, matrix.dtype(), {element, builder.load(column), -1}));
  return builder.take();
}

}  // namespace

std::optional<ReduceKernel> as_reduction(const Target& target, const FewColumnsKernel& kernel) {
  const Expr& matrix = kernel.prologue;
  if (target.software || kernel.columns.shape.elements() != 1 || !ExpressionCopier::copyable(matrix) ||
      !is_of_far_fewer(matrix))
    return std::nullopt;
  ReduceKernel sum{products_of(kernel),     kernel.kept_rank, Reduction::sum,
                   layout::ReduceTree::row, kernel.epilogue,  kernel.out};
  collapse(sum);
  return fours_at_once(target, sum).empty() ? std::nullopt : std::optional(std::move(sum));
}

}  // namespace eglantine::lower
