#pragma once

#include <vector>

#include "lower/lowering.hpp"

/// Reductions cut along their first kept axis.
namespace eglantine::lower {

/// Whether the results lie in line, or are over the first kept axis and others, and their epilogue can be cut.
bool has_kept_parts(const ReduceKernel& kernel);

/// The results of `count` places of the first kept axis from `first` on.
ReduceKernel kept_part(ReduceKernel kernel, int64_t first, int64_t count);

/// On hardware, the places of the first kept axis one by one, where columns behind it are many and no multiple of four:
/// vectors of columns are then loads of vectors, where some would reach into the next place. Empty elsewhere, and where
/// places are so many, or their elements so few, that dispatches take longer.
std::vector<ReduceKernel> places_apart(const Target& target, const ReduceKernel& kernel);

}  // namespace eglantine::lower
