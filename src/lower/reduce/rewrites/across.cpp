#include "lower/reduce/rewrites/across.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/layout.hpp"
#include "lower/across.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/rewrites/short_runs.hpp"

namespace eglantine::lower {
namespace {

/// The axes from the outermost on as a tree goes through them: those of lanes last.
Axes order_of_tree(const ReduceKernel& kernel) {
  const int rank = kernel.prologue.domain.rank(), first = kernel.tree == layout::ReduceTree::row ? 0 : kernel.kept_rank;
  Axes order;
  for (int i = 0; i < rank; ++i) order.push_back((first + i) % rank);
  return order;
}

/// Whether lanes read runs of up to half a sector, between those of other results, of more than a cache near them
/// holds.
bool reads_pieces_of_sectors(const ReduceKernel& kernel) {
  constexpr int64_t piece = 17, fewest_beside = 16, fewest = 1 << 20;
  const Expr& x = kernel.prologue;
  const int rank = x.domain.rank();
  if (kernel.tree != layout::ReduceTree::row || rank < kernel.kept_rank + 2 || x.domain.elements() < fewest)
    return false;
  const int64_t beside = codegen::count_of(x.domain, {kernel.kept_rank, rank - 1 - kernel.kept_rank});
  return beside >= fewest_beside && std::ranges::any_of(x.operands, [&](const Strided& operand) {
           return has_short_runs(kernel, operand, piece) &&
                  2 * layout::reach(operand.layout).count() >= x.domain.elements();
         });
}

/// Whether neighbours of a few lanes, along the nearest axes that have so many, lie far apart in x.
bool lies_across_lanes(const ReduceKernel& kernel, const Strided& x) {
  constexpr int64_t few_lanes = 8;
  const Shape& domain = kernel.prologue.domain;
  int64_t lanes = 1;
  for (int axis = lanes_axis(kernel); axis >= 0 && lanes < few_lanes; lanes *= domain[axis--])
    if (domain[axis] > 1 && !lies_across(x, axis, domain.elements())) return false;
  return lanes >= few_lanes;
}

/// The operand that lies across where all others, at least one, do not: the copy of it alone is as much memory as that
/// of the expression, and moved by tiles that wait for no other operand. Null of others.
Strided* only_one_across(ReduceKernel& kernel) {
  Expr& x = kernel.prologue;
  if (x.operands.size() < 2 || !x.piecewise.empty() || reads_pieces_of_sectors(kernel)) return nullptr;
  Strided* found = nullptr;
  for (Strided& operand : x.operands) {
    if (!lies_across_lanes(kernel, operand)) continue;
    if (found != nullptr) return nullptr;
    found = &operand;
  }
  return found;
}

}  // namespace

int lanes_axis(const ReduceKernel& kernel) {
  return (kernel.tree == layout::ReduceTree::row ? kernel.prologue.domain.rank() : kernel.kept_rank) - 1;
}

bool reads_across(const Target& target, const ReduceKernel& kernel) {
  const Expr& x = kernel.prologue;
  if (!is_worth_a_copy(target, x.domain.elements()) || lanes_axis(kernel) < 0 || !x.stored.empty()) return false;
  if (reads_pieces_of_sectors(kernel)) return true;
  return std::ranges::any_of(x.operands, [&](const Strided& operand) { return lies_across_lanes(kernel, operand); });
}

ReduceKernel of_copy(Lowering& lowering, const ReduceKernel& kernel) {
  ReduceKernel reduce = kernel;
  if (Strided* alone = only_one_across(reduce))
    *alone = materialize_in_order(lowering, load_of(*alone), order_of_tree(kernel));
  else
    reduce.prologue = load_of(materialize_in_order(lowering, kernel.prologue, order_of_tree(kernel)));
  collapse(reduce);
  return reduce;
}

}  // namespace eglantine::lower
