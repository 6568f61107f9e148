#pragma once

#include "lower/contraction/schedule/schedule.hpp"

namespace eglantine::lower {

/// Rows of one matrix of results that take whole rounds of a tile's groups, where the rest then takes less time in
/// another tile than with them; else 0. A round: the groups that all multiprocessors have at a time; a last one of few
/// groups takes as long as the others. A multiple of `unit`.
int64_t rows_of_whole_rounds(const Target& target, const Contraction& product, int64_t unit);

/// Rows of a kernel's epilogue that are whole along its first axis: the least number of which all others are multiples.
int64_t unit_of_rows(const MatmulKernel& kernel);

/// The kernel of `count` rows from `first` on, both multiples of unit_of_rows, or up to the last.
MatmulKernel rows_of(const MatmulKernel& kernel, int64_t first, int64_t count);

}  // namespace eglantine::lower
