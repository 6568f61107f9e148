#pragma once

#include <string>

#include "lower/reduce/program/program_text.hpp"

/// Extremes of floats in rows or columns that an invocation takes alone (row_each, row_fours, column_short), or eight
/// lanes (row_eights), where arithmetic is what takes the time. To combine two with a look for NaN at both takes six
/// operations, or ten with their indices. min() and max() may drop a NaN, so beside them the largest magnitude of the
/// elements is kept, in the order of their bits, in which every NaN is beyond infinity: three operations, or five. A
/// row of argmax or argmin that had a NaN is read again for its first; eight lanes still have it in registers.
namespace eglantine::lower {

bool has_nans_apart(ReducePattern pattern, const Combined& combined);

/// Whether lanes of columns look for NaN apart: argmax and argmin by tiles, whose lanes read their rows again, with a
/// look at each element, where one had a NaN.
bool looks_for_nans_apart(ReducePattern pattern, const Combined& combined);

/// #define EG_ACCUMULATOR, EG_ACCUMULATORS and, for argmax and argmin, EG_NANS_APART.
std::string nans_apart_defines(Reduction reduction);

/// Of row_each: eg_identities, eg_elements(x, e) of elements e to e + 3, eg_follow4, eg_mask and eg_fold
/// (accumulator_text.hpp); for argmax and argmin eg_first_nan(x, e), too, the index of the first NaN among them, or the
/// largest index there is. Of others, which have four results side by side, eg_entry, eg_combine4 and eg_reported
/// (at_once_text.hpp).
std::string nans_apart_functions(ReducePattern pattern, const Combined& combined);

}  // namespace eglantine::lower
