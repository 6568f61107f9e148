#pragma once

#include <optional>

#include "lower/contraction/schedule/schedule.hpp"

/// Contractions of many batches of few rows on hardware, as groups of convolutions are.
namespace eglantine::lower {

/// The structure of a program whose invocations have all rows of some columns, for a contraction whose b is staged;
/// nothing where `shader`'s tiles are quicker. lines: of memory, that have b's elements of neighbouring columns.
std::optional<MatmulShader> rows_in_columns(const Target& target, const Contraction& product,
                                            const MatmulShader& shader, int64_t lines);

}  // namespace eglantine::lower
