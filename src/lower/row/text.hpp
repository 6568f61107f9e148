#pragma once

#include <string>

#include "graph/kernel.hpp"

/// What a RowOp computes, as the holes of row.comp. An operation on rows is two sums of a kind: the first is combined
/// from the elements themselves, the second adds a weight of each element, which may know the first.
namespace eglantine::lower {

/// The functions eg_identity, eg_combine, eg_first, eg_shift, eg_weight, eg_second, eg_finish, eg_partial and eg_rebase
/// (glsl/row/row.comp says what they are), after EG_ROW is defined.
std::string row_functions(RowOp op);

}  // namespace eglantine::lower
