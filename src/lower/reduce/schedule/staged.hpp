#pragma once

#include <optional>
#include <string>

#include "lower/reduce/schedule/schedule.hpp"
#include "lower/staged_rows.hpp"

/// Short rows that begin anywhere, in shared memory (glsl/reduce/reduce_row_staged.comp), or by it in registers
/// (reduce_row_fours.comp).
namespace eglantine::lower {

struct StagedRows : StagedGroup {
  int64_t vectors = 1;  ///< that an invocation loads at a time
};

/// How a row level is reduced so; nothing where another pattern serves it better: on software devices, and where rows
/// are few, whole vectors, too long or too short, or their elements do not lie one behind the other.
std::optional<StagedRows> staged_rows(const Target& target, const ReduceLevel& level);

/// Whether an invocation takes four rows at once: such rows of fewer than 16 elements, enough of them for the device;
/// of whole vectors where more is computed of an element than that it is added.
bool takes_rows_in_fours(const Target& target, const ReduceLevel& level);

/// #define EG_EACH_VECTOR, and EG_TREE of the lanes of a row of so many elements.
std::string staged_macros(const StagedRows& plan, int64_t length);

/// The tree over `lanes` texts, of which those that are a multiple of a power of two apart combine by `combine`, halves
/// first; leaf(lane).
template <class Leaf>
std::string tree_of_lanes(const std::string& combine, int64_t lanes, const Leaf& leaf, int64_t first = 0,
                          int64_t apart = 1) {
  if (first + apart >= lanes) return leaf(first);
  return combine + "(" + tree_of_lanes(combine, lanes, leaf, first, 2 * apart) + ", " +
         tree_of_lanes(combine, lanes, leaf, first + apart, 2 * apart) + ")";
}

}  // namespace eglantine::lower
