#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Whether a row kernel is faster in parts: on software devices, for rows of few elements, of which a vector of
/// invocations has few in each step, and for elements that lie apart or are combined once, so that reading them again
/// from memory costs less than a row's own walk; and whether the device binds what the parts read.
bool pays_apart(const Target& target, const RowKernel& kernel);

/// Adds the steps of a row kernel as kernels of their own: each fold is a reduction to one value a row, in memory, each
/// result a map that reads these. Every pass reads its operands again.
void lower_apart(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
