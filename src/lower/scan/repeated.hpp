#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Where rows repeat along a kept axis, since all that is read is broadcast along it: adds the steps that scan them
/// once, to memory, and a map that writes the results wherever they belong. False where there is no such axis, or so
/// little that another dispatch costs more.
bool run_repeated_once(Lowering& lowering, const ScanKernel& kernel);

}  // namespace eglantine::lower
