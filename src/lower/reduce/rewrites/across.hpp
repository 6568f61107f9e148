#pragma once

#include "lower/lowering.hpp"

/// Reductions of operands that lie in several orders, or in another one than their tree's.
namespace eglantine::lower {

/// The axis of the prologue along which lanes are neighbours; -1: none.
int lanes_axis(const ReduceKernel& kernel);

/// Whether neighbours in the tree's order are far apart in some operand, or only so few of them side by side: tiles
/// transpose what is reduced in less time than lanes read it so, a sector of memory an element. On hardware, of many
/// elements.
bool reads_across(const Target& target, const ReduceKernel& kernel);

/// The reduction of the prologue's copy, or of that of the one operand which lies otherwise than all others, in the
/// tree's order: the same tree, and the same bits.
ReduceKernel of_copy(Lowering& lowering, const ReduceKernel& kernel);

}  // namespace eglantine::lower
