#pragma once

#include <optional>

#include "lower/contraction/schedule/schedule.hpp"

/// Products of a short k with many results on hardware, whose time is that of writing them.
namespace eglantine::lower {

/// The structure of a program that adds up outer products in registers; nothing where `shader`'s tiles are better: of a
/// longer k, which multiplications take longer than the results' writes, or of few results or columns.
std::optional<MatmulShader> in_outer_products(const Target& target, const Contraction& product,
                                              const MatmulShader& shader);

/// Whether such a program stores narrow results of rows that are no whole vectors by the vectors of memory.
bool stores_rows_anywhere(const MatmulKernel& kernel, const Contraction& product, const MatmulShader& shader);

}  // namespace eglantine::lower
