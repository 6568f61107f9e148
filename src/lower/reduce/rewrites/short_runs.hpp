#pragma once

#include "lower/lowering.hpp"

/// Reductions of which few elements at a time are neighbours in memory, between those of other results.
namespace eglantine::lower {

/// Whether x's elements along the last, reduced axis are neighbours in memory, in fewer bytes, and beside them lie
/// those of other results.
bool has_short_runs(const ReduceKernel& kernel, const Strided& x, int64_t bytes);

/// Reduces the axes around the nearest one first, in memory's order with that one kept, then the few results of each.
/// Of many elements, where no order changes a bit (is_exact). False, and nothing added, elsewhere.
bool run_short_runs_last(Lowering& lowering, const ReduceKernel& kernel);

}  // namespace eglantine::lower
