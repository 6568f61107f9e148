#pragma once

#include <optional>

#include "lower/attention/schedule.hpp"

namespace eglantine::lower {

/// How short heads are covered in the form of rows, where a GPU has shuffles for it. Nothing where the tile form is
/// quicker, or the device has no such subgroups.
std::optional<AttentionTile> attention_rows_tile(const Target& target, const AttentionKernel& kernel);

}  // namespace eglantine::lower
