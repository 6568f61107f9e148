#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Where strided rows, each of which gives values of its own alone, lie side by side along another of their axes than
/// the last one: adds the steps that compute them in the order of memory, and maps that write the results to their
/// places. False where they do not. No row's own order changes, so neither do bits.
bool run_rows_in_memory_order(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
