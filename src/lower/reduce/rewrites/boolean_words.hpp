#pragma once

#include <optional>

#include "lower/lowering.hpp"

/// Booleans that are reduced as the words that four of them fill: whole vectors of words are 16 at a time.
namespace eglantine::lower {

/// all, any or the count of booleans side by side in memory, as the least, the largest or the sum of words; the up to
/// six of them that fill no word of a single result are combined behind it. Nothing for booleans of words, rows whose
/// booleans fill parts of words, short ones, and results that something else is computed from.
std::optional<ReduceKernel> of_boolean_words(const ReduceKernel& kernel);

}  // namespace eglantine::lower
