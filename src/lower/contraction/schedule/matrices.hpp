#pragma once

#include "lower/contraction/schedule/schedule.hpp"

/// Products of many small matrices on hardware, several in a work group.
namespace eglantine::lower {

/// The structure of a program in which a group multiplies several matrices in shared memory; nothing where these do not
/// fit or where `shader`'s tiles are faster.
std::optional<MatmulShader> matrices_together(const Target& target, const Contraction& product,
                                              const MatmulShader& shader);

/// Cycles of a multiprocessor for its share of a product in that form, and in `shader`'s tiles; infinite and 0 where
/// that is not possible, or not known. In both much of the time is not counted: of use to compare one with the other.
double cycles_in_matrices(const Target& target, const Contraction& product);
double cycles_in_tiles(const Target& target, const Contraction& product, const MatmulShader& shader);

}  // namespace eglantine::lower
