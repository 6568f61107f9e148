#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Adds the steps of a sort whose u32 keys are in their order by their `bits` lowest bits alone, ascending: a radix
/// sort takes fewer passes.
void lower_by_low_bits(Lowering& lowering, const SortKernel& kernel, int bits);

}  // namespace eglantine::lower
