#pragma once

#include <utility>

#include "graph/kernel/kernel.hpp"
#include "graph/kernel/parts.hpp"
#include "layout/split.hpp"
#include "lower/lowering.hpp"

/// Piecewise reads of operands that are larger than a binding.
namespace eglantine::lower {

/// Whether a binding covers, wherever it starts, what each piecewise read of the expression reaches.
bool binds_piecewise(const Target& target, const Expr& expr);
/// The axis of the domain along which an expression that does not bind is best cut in two: the halves reach the least.
int axis_to_halve(const Target& target, const Expr& expr);
std::pair<layout::Box, layout::Box> halves(const Shape& domain, int axis);

/// Adds the steps that compute what is read piecewise from more than a binding covers, and reads that instead.
void materialize_far_reads(Lowering& lowering, Expr& expr);

/// The kernel, whose piecewise reads a binding covers whatever part of the domain a program works on.
template <class K>
K with_near_reads(Lowering& lowering, K kernel) {
  kernel_parts::expressions(kernel, [&](Expr& expr) { materialize_far_reads(lowering, expr); });
  return kernel;
}

}  // namespace eglantine::lower
