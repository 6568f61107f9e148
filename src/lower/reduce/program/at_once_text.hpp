#pragma once

#include <cstdint>
#include <string>

#include "lower/reduce/program/program_text.hpp"

/// The text of what an invocation loads all at once of four rows (row_fours) or columns (column_short), eg_x0, eg_x1,
/// ..., and then combines in the order of docs/reduction-tree.md, without what is not there.
namespace eglantine::lower {

/// #define EG_FOUR, EG_RESULT, and what else the template takes of rows, or columns, of so many elements.
std::string at_once_defines(ReducePattern pattern, const Combined& combined, int64_t length);

/// eg_elements(number) of four neighbours; eg_entry, what combines of four elements, and eg_reported, the values in
/// what was combined, where nans_apart.hpp has none.
std::string at_once_functions(ReducePattern pattern, const Combined& combined);

}  // namespace eglantine::lower
