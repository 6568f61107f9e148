#pragma once

#include "lower/contraction/schedule/schedule.hpp"

/// Products of many small matrices on hardware, several in a work group.
namespace eglantine::lower {

/// The structure of a program in which a group multiplies several matrices in shared memory; nothing where these do not
/// fit or where `shader`'s tiles are faster.
std::optional<MatmulShader> matrices_together(const Target& target, const Contraction& product,
                                              const MatmulShader& shader);

}  // namespace eglantine::lower
