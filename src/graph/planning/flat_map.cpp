#include "graph/planning/flat_map.hpp"

#include <algorithm>
#include <utility>

#include "graph/kernel/expression.hpp"

namespace eglantine {

bool is_flat(const Node& x) {
  const auto* elementwise = x.as<nodes::Elementwise>();
  return !x.is_computed() && elementwise != nullptr &&
         std::all_of(elementwise->args.begin(), elementwise->args.end(),
                     [](const NodePtr& arg) { return !arg || arg->is_computed() || arg->as<nodes::Constant>(); });
}

MapKernel flat_map(const Node& x, const Stored& out) {
  const auto& elementwise = *x.as<nodes::Elementwise>();
  const auto& args = elementwise.args;
  Layout line{{x.shape.elements()}, {1}, 0};
  ExpressionBuilder builder(line.shape);
  std::array<int32_t, 3> places{-1, -1, -1};
  for (size_t i = 0; i < args.size() && args[i]; ++i) {
    const Node& arg = *args[i];
    const auto same = std::find(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(i), args[i]) - args.begin();
    if (same < static_cast<std::ptrdiff_t>(i))
      places[i] = places[static_cast<size_t>(same)];
    else if (arg.is_computed())
      places[i] = builder.load({arg.stored().buffer, arg.stored().storage, line});
    else
      places[i] = builder.parameter(computed_type(arg.dtype), {arg.as<nodes::Constant>()->bits});
  }
  builder.end_with(builder.elementwise(elementwise.op, args[0]->dtype, x.dtype, places));
  Expr value = builder.take();
  drop_last_rounding(value, out.storage);
  return {std::move(value), {out.buffer, out.storage, std::move(line), true}};
}

}  // namespace eglantine
