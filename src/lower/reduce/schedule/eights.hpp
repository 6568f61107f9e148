#pragma once

#include <cstdint>
#include <string>

#include "lower/reduce/schedule/schedule.hpp"

/// Rows of 65 to 256 elements, which a subgroup's 32 lanes would leave half empty and spend most of their instructions
/// on combining: eight lanes take a row, and a subgroup four rows (glsl/reduce/reduce_row_eights.comp).
namespace eglantine::lower {

inline constexpr int64_t lanes_of_eights = 8;

/// Whether rows are so long, and so many that they fill half of the device.
bool takes_eight_lanes(const Target& target, const ReduceLevel& level);

/// Vectors of a row that a lane loads. of_memory: they may begin before the row.
int64_t vectors_of_eights(int64_t length, bool of_memory);

/// #define EG_EACH_LOAD(F), F(row, vector, name), and EG_EACH_ITEM(F), F(row, result, value, first NaN): of so many
/// rows of an invocation, with so many vectors each. exact: in any order. finds_nans: else no row looks for its first
/// NaN.
std::string eights_macros(int64_t rows, int64_t vectors, bool exact, bool finds_nans);

}  // namespace eglantine::lower
