#pragma once

#include <optional>
#include <string>

#include "lower/reduce/schedule/schedule.hpp"
#include "lower/staged_rows.hpp"

/// Short rows that begin anywhere, in shared memory (glsl/reduce/reduce_row_staged.comp).
namespace eglantine::lower {

struct StagedRows : StagedGroup {
  int64_t vectors = 1;  ///< that an invocation loads at a time
};

/// How a row level is reduced so; nothing where another pattern serves it better: on software devices, and where rows
/// are few, whole vectors, too long or too short, or their elements do not lie one behind the other.
std::optional<StagedRows> staged_rows(const Target& target, const ReduceLevel& level);

/// #define EG_EACH_VECTOR, and EG_TREE of the lanes of a row of so many elements.
std::string staged_macros(const StagedRows& plan, int64_t length);

}  // namespace eglantine::lower
