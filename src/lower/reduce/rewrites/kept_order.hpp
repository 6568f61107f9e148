#pragma once

#include "lower/lowering.hpp"

/// The order in which hardware computes the results of a reduction: that of memory. No order of the elements of one
/// result changes, so neither do bits.
namespace eglantine::lower {

/// Largest and smallest elements, any and all, of what repeats along reduced axes: of one of each. So are sums of
/// integers, times how often it repeats.
ReduceKernel without_repeats(ReduceKernel kernel);

/// The reduction with axes read forwards that are flipped in all operands, where no order changes the result.
ReduceKernel unflipped(ReduceKernel kernel);

/// Computes the results in the order in which the largest operand lies, each once where all operands repeat along a
/// kept axis, and copies them to their places. False, and nothing is done, where neighbouring results read neighbouring
/// elements already, or their epilogue cannot be computed by such places.
bool run_in_memory_order(Lowering& lowering, const ReduceKernel& kernel);

}  // namespace eglantine::lower
