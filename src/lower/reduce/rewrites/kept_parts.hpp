#pragma once

#include "lower/lowering.hpp"

/// Reductions cut along their first kept axis.
namespace eglantine::lower {

/// Whether the results lie in line, or are over the first kept axis and others, and their epilogue can be cut.
bool has_kept_parts(const ReduceKernel& kernel);

/// The results of `count` places of the first kept axis from `first` on.
ReduceKernel kept_part(ReduceKernel kernel, int64_t first, int64_t count);

/// Reduces columns half by half where one binding covers no operand that the first kept axis goes furthest in: the
/// columns of several matrices lie so far apart that windows of rows reach as far, and half of the matrices take half
/// of the memory. Otherwise adds nothing and gives false.
bool run_in_halves(Lowering& lowering, const ReduceKernel& kernel);

}  // namespace eglantine::lower
