#pragma once

#include <optional>

#include "lower/contraction/schedule/schedule.hpp"

/// Products of many matrices of a few rows on hardware, whose time is that of reading the right operands.
namespace eglantine::lower {

/// The structure of a program whose invocations have a column of results each, or four, of any batch, and read both
/// operands from memory; nothing where `shader`'s tiles are better.
std::optional<MatmulShader> few_rows_together(const Target& target, const Contraction& product,
                                              const MatmulShader& shader);

}  // namespace eglantine::lower
