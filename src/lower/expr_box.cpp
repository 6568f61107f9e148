#include "lower/expr_box.hpp"

namespace eglantine::lower {

std::vector<Layout> layouts_of(const Expr& expr) {
  std::vector<Layout> layouts;
  for (const Strided& operand : expr.operands) layouts.push_back(operand.layout);
  return layouts;
}

void restrict_to(Expr& expr, const layout::Box& box) {
  for (Strided& operand : expr.operands) operand.layout = layout::restrict_to(operand.layout, box);
  for (Layout& index : expr.indices) index = layout::restrict_to(index, box);
  expr.domain = box.length;
}

}  // namespace eglantine::lower
