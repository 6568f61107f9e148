#include "lower/reduce/across.hpp"

#include <algorithm>

#include "lower/across.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {
namespace {

/// The axis along which lanes are neighbours.
int lanes_axis(const ReduceKernel& kernel) {
  return (kernel.tree == layout::ReduceTree::row ? kernel.prologue.domain.rank() : kernel.kept_rank) - 1;
}

/// The axes from the outermost on as a tree goes through them: those of lanes last.
Axes order_of_tree(const ReduceKernel& kernel) {
  const int rank = kernel.prologue.domain.rank(), first = kernel.tree == layout::ReduceTree::row ? 0 : kernel.kept_rank;
  Axes order;
  for (int i = 0; i < rank; ++i) order.push_back((first + i) % rank);
  return order;
}

}  // namespace

bool reads_across(const Target& target, const ReduceKernel& kernel) {
  // Fewer are reduced in the time of another dispatch; of more the copy is much memory. Beside few lanes other axes
  // make lines.
  constexpr int64_t fewest = 1 << 18, most = 1 << 28, fewest_lanes = 8;
  const Expr& x = kernel.prologue;
  const int64_t elements = x.domain.elements(), inner = lanes_axis(kernel);
  if (target.software || elements < fewest || elements > most || inner < 0 || !x.stored.empty()) return false;
  return x.domain[static_cast<int>(inner)] >= fewest_lanes &&
         std::ranges::any_of(x.operands, [&](const Strided& operand) { return lies_across(operand, inner, elements); });
}

ReduceKernel of_copy(Lowering& lowering, const ReduceKernel& kernel) {
  ReduceKernel reduce = kernel;
  reduce.prologue = load_of(materialize_in_order(lowering, kernel.prologue, order_of_tree(kernel)));
  collapse(reduce);
  return reduce;
}

}  // namespace eglantine::lower
