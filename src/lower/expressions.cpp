#include "lower/expressions.hpp"

#include "layout/layout.hpp"

namespace eglantine::lower {

Expr load_of(const Strided& x) { return {x.layout.shape, {x}, {}, {}, {{Op::load, x.dtype(), {0, -1, -1}}}, {}}; }

Expr accumulator_over(const Shape& domain, DType dtype) {
  return {domain, {}, {}, {}, {{Op::accumulator, dtype, {-1, -1, -1}}}, {}};
}

Expr reading_accumulator(Expr epilogue, const Strided& accumulator) {
  const auto operand = static_cast<int32_t>(epilogue.operands.size());
  for (Instruction& step : epilogue.code)
    if (step.op == Op::accumulator) step = {Op::load, accumulator.dtype(), {operand, -1, -1}};
  epilogue.operands.push_back(accumulator);
  return epilogue;
}

Strided materialize(Lowering& lowering, const Expr& expr, const Layout& layout) {
  const Strided made = lowering.temporary(expr.dtype(), layout);
  lower(lowering, MapKernel{expr, made});
  return made;
}

MapKernel zeros_of(const Strided& words) {
  return {{words.layout.shape, {}, {}, {{0}}, {{Op::parameter, DType::u32, {0, -1, -1}}}}, words};
}

void clear(Lowering& lowering, const Strided& words) { lower(lowering, zeros_of(words)); }

void restrict_to(Strided& x, const layout::Box& box) {
  x.layout = layout::restrict_to(x.layout, box);
  x.whole = false;
}

void restrict_to(Expr& expr, const layout::Box& box) {
  for (Strided& operand : expr.operands) restrict_to(operand, box);
  for (Layout& iota : expr.iotas) iota = layout::restrict_to(iota, box);
  expr.domain = box.length;
}

}  // namespace eglantine::lower
