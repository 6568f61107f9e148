#include "lower/reduce/rewrites/kept_parts.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// Places [first, first + count) of a domain's first axis, or of the numbers of what several axes were merged to.
layout::Box box_of(const Shape& domain, int64_t first, int64_t count) {
  layout::Box box{Shape{first}, Shape{count}};
  for (int axis = 1; axis < domain.rank(); ++axis) {
    box.start.push_back(0);
    box.length.push_back(domain[axis]);
  }
  return box;
}

/// Of kept axes alone: what a part of one column reads is cut into windows.
bool is_worth_halving(const Target& target, const ReduceKernel& kernel) {
  const Expr& x = kernel.prologue;
  if (kernel.tree != layout::ReduceTree::column || kernel.kept_rank == 0 || x.domain[0] < 2 || !x.piecewise.empty() ||
      !x.stored.empty() || !has_kept_parts(kernel))
    return false;
  return std::ranges::any_of(x.operands, [&](const Strided& operand) {
    const auto distance = [](int64_t stride) { return std::abs(stride); };
    const auto& strides = operand.layout.strides;
    return std::ranges::max_element(strides, {}, distance) == strides.begin() &&
           layout::reach(operand.layout).count() * bytes_of(operand.storage) > target.max_block_bytes;
  });
}

}  // namespace

bool has_kept_parts(const ReduceKernel& kernel) {
  const Shape& results = kernel.epilogue.domain;
  return kernel.epilogue.piecewise.empty() && (results.rank() == 1 || results[0] == kernel.prologue.domain[0]);
}

ReduceKernel kept_part(ReduceKernel kernel, int64_t first, int64_t count) {
  const Shape& results = kernel.epilogue.domain;
  const int64_t each = results.rank() > 1 ? 1 : results.elements() / kernel.prologue.domain[0];
  const layout::Box box = box_of(results, first * each, count * each);
  restrict_to(kernel.out, box);
  restrict_to(kernel.epilogue, box);
  restrict_to(kernel.prologue, box_of(kernel.prologue.domain, first, count));
  return kernel;
}

bool run_in_halves(Lowering& lowering, const ReduceKernel& kernel) {
  if (!is_worth_halving(lowering.target(), kernel)) return false;
  const int64_t places = kernel.prologue.domain[0], half = places / 2;
  for (ReduceKernel part : {kept_part(kernel, 0, half), kept_part(kernel, half, places - half)}) {
    collapse(part);
    lower(lowering, part);
  }
  return true;
}

}  // namespace eglantine::lower
