#pragma once

#include "lower/lowering.hpp"

/// Reductions cut along their first kept axis.
namespace eglantine::lower {

/// Whether the results lie in line, or are over the first kept axis and others, and their epilogue can be cut.
bool has_kept_parts(const ReduceKernel& kernel);

/// The results of `count` places of the first kept axis from `first` on.
ReduceKernel kept_part(ReduceKernel kernel, int64_t first, int64_t count);

}  // namespace eglantine::lower
