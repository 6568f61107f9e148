#pragma once

#include "lower/lowering.hpp"

/// Reductions cut along their first kept axis.
namespace eglantine::lower {

/// Whether the results lie in line, or are over the first kept axis and others, and their epilogue can be cut.
bool has_kept_parts(const ReduceKernel& kernel);

/// Whether one binding covers no operand that the first kept axis goes furthest in: the columns of several matrices lie
/// so far apart that windows of rows reach as far, and each half of the matrices takes half of the memory.
bool is_worth_halving(const Target& target, const ReduceKernel& kernel);

/// The results of `count` places of the first kept axis from `first` on.
ReduceKernel kept_part(ReduceKernel kernel, int64_t first, int64_t count);

}  // namespace eglantine::lower
