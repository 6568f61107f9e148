#include "lower/contraction/stored_epilogue.hpp"

#include <algorithm>

#include "graph/kernel/expression_copier.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

Expr needed_for(const Expr& epilogue, int32_t value) {
  ExpressionBuilder to(epilogue.domain);
  to.end_with(ExpressionCopier(epilogue, to).copy_needed(value));
  return to.take();
}

/// What is left where what is stored is read at `out`: the other stores, and the value.
Expr rest_of(const Expr& epilogue, int32_t store, const Strided& out) {
  ExpressionBuilder to(epilogue.domain);
  ExpressionCopier copier(epilogue, to);
  copier.stand_in(epilogue.code[static_cast<size_t>(store)].args[0], to.load(out));
  const auto count = static_cast<int32_t>(epilogue.code.size());
  for (int32_t i = 0; i < count; ++i)
    if (i != store && epilogue.code[static_cast<size_t>(i)].op == Op::store) copier.copy_needed(i);
  to.end_with(copier.copy_needed(count - 1));
  return to.take();
}

bool uses_accumulator(const Expr& x) {
  return std::ranges::any_of(x.code, [](const Instruction& step) { return step.op == Op::accumulator; });
}

bool is_short(const Expr& x) {
  return std::ranges::none_of(x.code, [&](const Instruction& step) { return takes_many_steps(x, step); });
}

}  // namespace

std::optional<SplitEpilogue> split_at_stored(const Expr& epilogue) {
  if (!ExpressionCopier::copyable(epilogue)) return std::nullopt;
  for (int32_t i = 0; i < static_cast<int32_t>(epilogue.code.size()); ++i) {
    const Instruction& step = epilogue.code[static_cast<size_t>(i)];
    if (step.op != Op::store) continue;
    const Strided& out = epilogue.operands[static_cast<size_t>(step.args[1])];
    if (out.storage != StorageType::f32 || out.layout.strides != layout::contiguous(epilogue.domain).strides) continue;
    SplitEpilogue split{needed_for(epilogue, step.args[0]), out, rest_of(epilogue, i, out)};
    if (is_short(split.first) && uses_accumulator(split.first) && !uses_accumulator(split.rest)) return split;
  }
  return std::nullopt;
}

}  // namespace eglantine::lower
