#pragma once

#include "lower/index/scatter_program.hpp"

namespace eglantine::lower {

/// out combined with the updates in an order that the indices and shapes alone decide (docs/indices.md).
void combine_in_order(Lowering& lowering, const ScatterKernel& kernel, const ScatterJob& job);

}  // namespace eglantine::lower
