#include "lower/piecewise.hpp"

#include <algorithm>

#include "codegen/stage/piecewise.hpp"
#include "graph/kernel/expression.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

bool fits(const Target& target, const Strided& operand, const layout::Reach& reached) {
  return reached.count() * bytes_of(operand.storage) + target.binding_alignment <= target.max_block_bytes;
}

/// Whether what is read, and whether it is, does not depend on the coordinate along an axis.
bool is_broadcast(const Expr& expr, const PiecewiseRead& read, int axis) {
  const auto moves = [&](const Layout& x) { return x.strides[static_cast<size_t>(axis)] != 0; };
  const auto decides = [&](const auto& condition) { return moves(expr.iotas[static_cast<size_t>(condition.iota)]); };
  return !moves(expr.operands[read.operand].layout) && std::none_of(read.jumps.begin(), read.jumps.end(), decides) &&
         std::none_of(read.bounds.begin(), read.bounds.end(), decides);
}

/// The elements read, over the expression's domain, as a kernel of their own leaves them in memory: each once.
Strided computed(Lowering& lowering, const Expr& expr, PiecewiseRead read) {
  const Strided& from = expr.operands[read.operand];
  layout::Box apart{expr.domain, expr.domain};
  std::fill(apart.start.begin(), apart.start.end(), 0);
  for (int axis = 0; axis < expr.domain.rank(); ++axis)
    if (is_broadcast(expr, read, axis)) apart.length[axis] = 1;
  Strided made = lowering.temporary(from.dtype(), layout::contiguous(apart.length));
  MapKernel map{{expr.domain, {from}, expr.iotas, {}, {{Op::load, from.dtype(), {0, -1, -1}}}}, made};
  read.operand = 0;
  map.value.piecewise.push_back(std::move(read));
  restrict_to(map.value, apart);
  collapse(map);
  lower(lowering, map);
  made.layout = layout::expand(made.layout, expr.domain);
  return made;
}

/// What the far reads of the expression reach over a box of its domain: elements, summed over the reads.
int64_t far_reach(const Target& target, Expr expr, const layout::Box& box) {
  restrict_to(expr, box);
  int64_t elements = 0;
  for (const PiecewiseRead& read : expr.piecewise) {
    const layout::Reach reached = codegen::reach_of(expr, read);
    if (!fits(target, expr.operands[read.operand], reached)) elements += reached.count();
  }
  return elements;
}

}  // namespace

bool binds_piecewise(const Target& target, const Expr& expr) {
  return std::all_of(expr.piecewise.begin(), expr.piecewise.end(), [&](const PiecewiseRead& read) {
    return fits(target, expr.operands[read.operand], codegen::reach_of(expr, read));
  });
}

int axis_to_halve(const Target& target, const Expr& expr) {
  int best = -1;
  int64_t least = 0;
  for (int axis = 0; axis < expr.domain.rank(); ++axis) {
    if (expr.domain[axis] == 1) continue;
    const auto [first, second] = halves(expr.domain, axis);
    const int64_t reached = far_reach(target, expr, first) + far_reach(target, expr, second);
    if (best < 0 || reached < least) {
      best = axis;
      least = reached;
    }
  }
  return std::max(best, 0);
}

std::pair<layout::Box, layout::Box> halves(const Shape& domain, int axis) {
  layout::Box first{domain, domain};
  std::fill(first.start.begin(), first.start.end(), 0);
  layout::Box second = first;
  first.length[axis] /= 2;
  second.start[axis] = first.length[axis];
  second.length[axis] -= first.length[axis];
  return {first, second};
}

void materialize_far_reads(Lowering& lowering, Expr& expr) {
  std::vector<PiecewiseRead> near;
  for (const PiecewiseRead& read : expr.piecewise) {
    if (fits(lowering.target(), expr.operands[read.operand], read.within))
      near.push_back(read);
    else
      expr.operands[read.operand] = computed(lowering, expr, read);
  }
  expr.piecewise = std::move(near);
}

}  // namespace eglantine::lower
