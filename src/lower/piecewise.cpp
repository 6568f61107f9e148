#include "lower/piecewise.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/piecewise.hpp"
#include "graph/expression.hpp"

namespace eglantine::lower {
namespace {

bool fits(const Target& target, const Strided& operand, const layout::Reach& reached) {
  return reached.count() * bytes_of(operand.storage) + target.binding_alignment <= target.max_block_bytes;
}

Strided computed(Lowering& lowering, const Expr& expr, PiecewiseRead how) {
  const Strided& from = expr.operands[how.operand];
  const Strided made = lowering.temporary(from.dtype(), layout::contiguous(expr.domain));
  MapKernel map{{expr.domain, {from}, expr.iotas, {}, {{Op::load, from.dtype(), {0, -1, -1}}}}, made};
  how.operand = 0;
  map.value.piecewise.push_back(std::move(how));
  collapse(map);
  lower(lowering, map);
  return made;
}

}  // namespace

bool binds_piecewise(const Target& target, const Expr& expr) {
  return std::all_of(expr.piecewise.begin(), expr.piecewise.end(), [&](const PiecewiseRead& how) {
    return fits(target, expr.operands[how.operand], codegen::reach_of(expr, how));
  });
}

int axis_to_halve(const Target& target, const Expr& expr) {
  int best = 0;
  int64_t longest = -1;
  for (const PiecewiseRead& how : expr.piecewise) {
    const Strided& operand = expr.operands[how.operand];
    if (fits(target, operand, codegen::reach_of(expr, how))) continue;
    for (int axis = 0; axis < expr.domain.rank(); ++axis) {
      const int64_t span = (expr.domain[axis] - 1) * std::abs(operand.layout.strides[static_cast<size_t>(axis)]);
      if (expr.domain[axis] > 1 && span > longest) {
        longest = span;
        best = axis;
      }
    }
  }
  return best;
}

void materialize_far_reads(Lowering& lowering, Expr& expr) {
  std::vector<PiecewiseRead> near;
  for (const PiecewiseRead& how : expr.piecewise) {
    if (fits(lowering.target(), expr.operands[how.operand], how.within))
      near.push_back(how);
    else
      expr.operands[how.operand] = computed(lowering, expr, how);
  }
  expr.piecewise = std::move(near);
}

}  // namespace eglantine::lower
