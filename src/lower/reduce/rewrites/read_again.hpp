#pragma once

#include "lower/lowering.hpp"

/// Operands that many results of a reduction read again: points beside which every other point lies.
namespace eglantine::lower {

/// The kernel with operands in lines whose neighbours lie apart in memory and that are read many times, as columns of
/// a matrix of points are: adds the steps that copy them. Lanes then read whole vectors. On hardware, where the copies
/// take little beside the reduction.
ReduceKernel with_lines_of_what_is_read_again(Lowering& lowering, ReduceKernel kernel);

}  // namespace eglantine::lower
