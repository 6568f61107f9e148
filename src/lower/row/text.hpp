#pragma once

#include <string>

#include "graph/kernel.hpp"

/// What a RowOp computes, as holes of row.comp. A row operation is two reductions: the first combines the elements, the
/// second adds a weight of each element, which may depend on the first.
namespace eglantine::lower {

/// The functions eg_identity, eg_combine, eg_first, eg_shift, eg_weight, eg_second, eg_finish, eg_partial and eg_rebase
/// (glsl/row/row.comp defines them), after EG_ROW.
std::string row_functions(RowOp op);

/// What the operation changes in the template: EG_CENTERED, EG_UNSHIFTED.
std::string row_defines(RowOp op);

}  // namespace eglantine::lower
