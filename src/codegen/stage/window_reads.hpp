#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/kernel/kernel.hpp"

/// Elements that the piecewise reads of a vector have in common: where a window slides along the innermost axis, what
/// it reads for one element it reads again for the next, under the same condition; or where that element is the same
/// for all of the axis.
namespace eglantine::codegen {

/// Piecewise reads (by their numbers in an expression) whose elements lie on one line: of read `reads[i]` component j
/// is element `firsts[i] + j * step` from the first read's own, each `apart` elements of memory and 1 of iota `moving`.
struct WindowReads {
  std::vector<size_t> reads;
  std::vector<int64_t> firsts;  ///< from 0 on; 0 of the first read
  int64_t step = 1, apart = 1;
  std::optional<int32_t> moving;  ///< what bounds the line; nothing where only other coordinates bound it
  /// The line is whole aligned vec4s, which begin at the places that are this modulo 4.
  std::optional<int64_t> phase = {};

  std::vector<int64_t> places(int64_t width) const;  ///< of all elements that a vector of `width` reads, ascending
  WindowReads alone(size_t i) const;                 ///< of reads[i] by itself
};

/// The expression's reads along the last axis of its domain, each in one group. No jumps, no computed addresses.
std::vector<WindowReads> window_reads(const Expr& expr);

/// Elements that vectors of `width` read under conditions, each once, and once for every read.
struct WindowLoads {
  int64_t once = 0, singly = 0;
};
WindowLoads window_loads(const Expr& expr, int64_t width);

}  // namespace eglantine::codegen
