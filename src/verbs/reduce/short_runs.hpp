#pragma once

#include <optional>

#include "verbs/reduce/parts.hpp"

/// Rows whose last axis is a short run of memory between what other rows have: on GPUs, where there are many elements.
namespace eglantine::verbs {

/// Whether the last of the axes, x's last, is a short run between what other rows have: a kernel of rows would read
/// less than half of each line of memory for each of them.
bool has_short_runs(const Tensor& x, const Axes& axes);

/// Columns beside one another instead of short runs, which are joined with the parts.
std::optional<Parts> with_runs_as_columns(const Tensor& x, const Axes& axes);

}  // namespace eglantine::verbs
