#include "lower/reduce/rewrites/short_runs.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/addresses/access_pattern.hpp"
#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"
#include "layout/permutation.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/schedule/any_order.hpp"

namespace eglantine::lower {
namespace {

bool reads_short_runs(const ReduceKernel& kernel) {
  // In fewer bytes than a sector of memory has: the largest of 751 x 223 runs of 28 f16 take 18.9 us so, 13.1 else. Of
  // fewer another dispatch takes as long; of fewer elements beside a run there is little left to reduce first.
  constexpr int64_t sector = 32, fewest = 1 << 18, fewest_beside = 16;
  const Expr& x = kernel.prologue;
  const int rank = x.domain.rank();
  if (kernel.tree != layout::ReduceTree::row || rank < kernel.kept_rank + 2) return false;
  if (!is_exact(kernel.reduction, x.dtype()) || is_arg(kernel.reduction) || kernel.reduction == Reduction::custom)
    return false;
  const int64_t beside = codegen::count_of(x.domain, {kernel.kept_rank, rank - 1 - kernel.kept_rank});
  return x.domain.elements() >= fewest && beside >= fewest_beside && x.stored.empty() && x.piecewise.empty() &&
         !x.operands.empty() && std::ranges::all_of(x.operands, [&](const Strided& operand) {
           return has_short_runs(kernel, operand, sector);
         });
}

}  // namespace

bool has_short_runs(const ReduceKernel& kernel, const Strided& x, int64_t bytes) {
  const int last = x.layout.shape.rank() - 1;
  const auto stride = [&](int axis) { return std::abs(x.layout.strides[static_cast<size_t>(axis)]); };
  if (last <= kernel.kept_rank || stride(last) != 1 || x.layout.shape[last] * bytes_of(x.storage) >= bytes)
    return false;
  for (int axis = 0; axis < kernel.kept_rank; ++axis)
    if (stride(axis) > 0 && stride(axis) < stride(last - 1)) return true;
  return false;
}

bool run_short_runs_last(Lowering& lowering, const ReduceKernel& kernel) {
  // Of zeros of both signs the largest is the one that comes last, on software devices as on the CPU.
  if (!reads_short_runs(kernel) || (lowering.target().software && is_float(kernel.prologue.dtype()))) return false;
  const int kept_rank = kernel.kept_rank;
  ReduceKernel runs = kernel;
  for (Strided& operand : runs.prologue.operands) operand.layout = layout::with_last_before(operand.layout, kept_rank);
  for (Layout& iota : runs.prologue.iotas) iota = layout::with_last_before(iota, kept_rank);
  runs.prologue.domain = layout::with_last_before(layout::contiguous(kernel.prologue.domain), kept_rank).shape;
  runs.kept_rank = kept_rank + 1;
  runs.tree = layout::ReduceTree::column;
  Shape results;
  for (int axis = 0; axis <= kept_rank; ++axis) results.push_back(runs.prologue.domain[axis]);
  runs.out = lowering.temporary(kernel.prologue.dtype(), layout::contiguous(results));
  runs.epilogue = accumulator_over(results, runs.out.dtype());
  ReduceKernel last = kernel;
  last.prologue = load_of(runs.out);
  collapse(runs);
  lower(lowering, runs);
  collapse(last);
  lower(lowering, last);
  return true;
}

}  // namespace eglantine::lower
