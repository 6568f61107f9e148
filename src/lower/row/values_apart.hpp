#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// Rows that lie across their results (RowKernel::across): a row kernel that reads them as they lie computes what
/// elements need of their rows, and a map, which transposes by tiles, the elements. Each element is read twice, both
/// times beside its neighbours, where the kernel of the results' order reads it from a sector of its own. False, and
/// nothing is added, where the kernel stores other elements too, or binds too much.
bool run_values_apart(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
