#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Where rows repeat along a kept axis, since all that is read is broadcast along it: adds the steps that compute them
/// once, to memory, and maps that write the results wherever they belong. False where there is no such axis, or so
/// little that another dispatch costs more.
bool run_repeated_once(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
