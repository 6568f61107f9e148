#pragma once

#include <vector>

#include "lower/sort/subgroup_program.hpp"

/// The windows in which the keys of long rows are counted (places.hpp), where one range does not cover them.
namespace eglantine::lower {

/// Keys that one dispatch counts.
struct KeyWindow {
  Window rows, columns;
};

/// The job's rows from `row` on.
SortSource source_from(const SortJob& job, int64_t row);

/// All keys of these rows, in windows as large as one dispatch binds beside the state: some rows after others, each in
/// parts of the same columns. None where no window can be bound.
std::vector<KeyWindow> windows_of_keys(const Target& target, const SortJob& job, const Window& rows);

}  // namespace eglantine::lower
