#pragma once

#include "graph/kernel/kernel.hpp"
#include "system/thread_pool.hpp"

namespace eglantine::cpu {

/// Copies the same elements of every row, where all rows share one row of indices, which is evaluated once. False, and
/// nothing done, of other gathers, and where an index is out of range.
bool gather_columns(const GatherKernel& kernel, ThreadPool& pool);

}  // namespace eglantine::cpu
