#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// A copy of narrow elements, as one of words, which moves more at a time; nothing where the two lie differently, or
/// others share the last word.
std::optional<MapKernel> copy_of_words(const MapKernel& kernel);

}  // namespace eglantine::lower
