#include "graph/expression.hpp"

#include <algorithm>

#include "layout/collapse.hpp"
#include "layout/layout.hpp"

namespace eglantine {

int ExpressionBuilder::add(Op op, DType dtype, const std::array<int32_t, 3>& args) {
  for (size_t i = 0; i < expr_.code.size(); ++i) {
    const Instruction& same = expr_.code[i];
    if (same.op == op && same.dtype == dtype && same.args == args) return static_cast<int>(i);
  }
  expr_.code.push_back({op, dtype, args});
  return static_cast<int>(expr_.code.size()) - 1;
}

int ExpressionBuilder::load(const BufferPtr& buffer, DType dtype, const Layout& at) {
  for (size_t i = 0; i < expr_.operands.size(); ++i) {
    const Strided& operand = expr_.operands[i];
    if (operand.buffer == buffer && operand.dtype == dtype && layout::same(operand.layout, at))
      return add(Op::load, dtype, {static_cast<int32_t>(i), -1, -1});
  }
  expr_.operands.push_back({buffer, dtype, at});
  return add(Op::load, dtype, {static_cast<int32_t>(expr_.operands.size()) - 1, -1, -1});
}

int ExpressionBuilder::parameter(DType dtype, uint32_t bits) {
  // Equal values stay apart: whether two scalars happen to be equal must not make another program.
  expr_.parameters.push_back(bits);
  return add(Op::parameter, dtype, {static_cast<int32_t>(expr_.parameters.size()) - 1, -1, -1});
}

int ExpressionBuilder::index(const Layout& at) {
  expr_.indices.push_back(at);
  return add(Op::index, DType::u32, {static_cast<int32_t>(expr_.indices.size()) - 1, -1, -1});
}

int ExpressionBuilder::core(DType dtype) { return add(Op::core, dtype, {-1, -1, -1}); }

int ExpressionBuilder::operation(Op op, DType dtype, const std::array<int32_t, 3>& args) {
  return add(op, dtype, args);
}

namespace {

struct Collapsed {
  Layout last;
  std::vector<int> starts;
};

/// Collapses an expression together with one more layout over its domain: an output's, or row-major order.
Collapsed collapse_with(Expr& expr, const Layout& last, const std::vector<int>& barriers = {}) {
  std::vector<Layout> layouts;
  for (const Strided& operand : expr.operands) layouts.push_back(operand.layout);
  layouts.insert(layouts.end(), expr.indices.begin(), expr.indices.end());
  layouts.push_back(last);
  std::vector<int> starts = layout::collapse(layouts, barriers);
  size_t next = 0;
  for (Strided& operand : expr.operands) operand.layout = layouts[next++];
  for (Layout& index : expr.indices) index = layouts[next++];
  expr.domain = layouts.back().shape;
  return {layouts.back(), std::move(starts)};
}

int64_t count(const Expr& expr) { return static_cast<int64_t>(expr.operands.size()); }

}  // namespace

void collapse(MapKernel& kernel) { kernel.out.layout = collapse_with(kernel.value, kernel.out.layout).last; }

void collapse(ReduceKernel& kernel) {
  kernel.kept_rank =
      collapse_with(kernel.producer, layout::contiguous(kernel.producer.domain), {kernel.kept_rank}).starts.front();
  kernel.out.layout = collapse_with(kernel.consumer, kernel.out.layout).last;
}

void collapse(MatmulKernel& kernel) { kernel.out.layout = collapse_with(kernel.consumer, kernel.out.layout).last; }

int64_t bindings_of(const Kernel& kernel) {
  if (const auto* map = std::get_if<MapKernel>(&kernel)) return count(map->value) + 1;
  if (const auto* matmul = std::get_if<MatmulKernel>(&kernel)) return count(matmul->consumer) + 3;
  const auto& reduce = std::get<ReduceKernel>(kernel);
  const bool pairs = reduce.reduction == Reduction::argmax || reduce.reduction == Reduction::argmin;
  const int64_t partials = pairs ? 2 : 1;
  // Either one level binds both expressions, or the first binds the producer and the last the consumer, with partials
  // between.
  return std::max(count(reduce.producer) + std::max(count(reduce.consumer) + 1, partials),
                  count(reduce.consumer) + partials + 1);
}

}  // namespace eglantine
