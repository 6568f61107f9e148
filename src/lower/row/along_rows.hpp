#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Where rows are contiguous in what is read and folded but strided in the results, and would be read more than once:
/// adds the steps that compute the rows as they lie, to memory, and transpose the results to their places. False
/// elsewhere.
bool run_along_rows(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
