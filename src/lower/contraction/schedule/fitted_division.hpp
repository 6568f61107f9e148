#pragma once

#include "lower/contraction/schedule/schedule.hpp"

/// How a group's results of many matrices are divided among as many invocations as these take.
namespace eglantine::lower {

struct Division {
  int rows;          ///< of an invocation
  int depth;         ///< of k in shared memory
  int matrices;      ///< of a group
  int down, across;  ///< parts of a matrix, if it has one
};

/// `shader` in that division.
MatmulShader divided(const Contraction& product, const MatmulShader& shader, const Division& by);

/// Whether groups store neighbouring results together, and the device has room for them.
bool suits(const Target& target, const Contraction& product, const MatmulShader& fitted, const Division& by);

/// What an invocation loads in a step.
struct Loads {
  int64_t vectors = 0, singles = 0, units = 0;  ///< units: of four lines
};
Loads loads_of(const MatmulShader& fitted);

}  // namespace eglantine::lower
