#pragma once

#include <cstdint>
#include <vector>

#include "lower/reduce/program.hpp"

/// Neighbouring rows of a row tree that read much in common, computed at once: the gradient of a depthwise convolution
/// by the places of its kernel, which all read one cotangent, and windows that overlap.
namespace eglantine::lower {

/// One expression for several rows, over a prologue's domain without the axes that number them.
struct RowsTogether {
  Expr prologue;
  std::vector<int32_t> results;  ///< by row, in row-major order: the instruction that is its value
};

/// The rows that the kept axes [first_axis, kept_rank) number. What several of them load or compute is there once.
RowsTogether rows_together(const Expr& prologue, int first_axis, int kept_rank);

/// How many of a level's last kept axes number rows that are best taken at once: 2 to 16 that load the least, and
/// clearly less than by themselves, where what is left fills the device. 0 where there are none.
int axes_together(const Target& target, const ReduceLevel& level);

}  // namespace eglantine::lower
