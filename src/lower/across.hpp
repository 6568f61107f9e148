#pragma once

#include "lower/lowering.hpp"

/// Operands that lie in memory by another order of the axes than a kernel goes through them.
namespace eglantine::lower {

/// Whether so many elements are worth a copy in another order: fewer are read in the time of another dispatch, and of
/// more the copy is much memory. On hardware, which transposes by tiles.
bool is_worth_a_copy(const Target& target, int64_t elements);

/// Whether neighbours along `inner`, the nearest axis of so many elements, lie in other sectors of x's memory, and
/// those along another axis in the same one.
bool lies_across(const Strided& x, int64_t inner, int64_t elements);

/// Adds the steps that compute an expression into a temporary whose axes lie in that order, outermost first: tiles
/// transpose operands on the way. The result is over the expression's domain.
Strided materialize_in_order(Lowering& lowering, const Expr& expr, const Axes& order);

/// Permutes a map's axes to the order in which its results lie, so that neighbours write neighbours, and merges them.
void order_by_results(MapKernel& map);

}  // namespace eglantine::lower
