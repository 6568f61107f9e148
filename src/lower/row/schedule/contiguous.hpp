#pragma once

#include <algorithm>
#include <bit>

#include "lower/row/schedule/schedule.hpp"

/// Rows that are contiguous in memory, on GPUs: how many lanes share one, and what they keep of it.
namespace eglantine::lower {

inline constexpr int64_t small_group = 256;
/// Values of elements that a lane keeps, by vectors: enough loads in flight. Fewer of rows that are read again.
inline constexpr int64_t most_vectors = RowPlan::most_in_a_loop, vectors_reread = 4;

inline int64_t power_of_two(int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }

/// The steps of a lane that fit in registers where each keeps so many values.
inline int64_t steps_kept(int64_t vectors, int64_t kept) {
  return std::max<int64_t>(1, vectors / power_of_two(std::max<int64_t>(kept, 1)));
}

/// Elements of a row that a lane computes, where so many lanes share it.
int64_t elements_each(int64_t length, int64_t lanes, bool apart);
/// What the lanes compute of a row, in elements, those past its end, too: what each computes for the row, such as a
/// quotient, a logarithm and what the lanes exchange, takes about as long as four elements do.
int64_t work_of(int64_t length, int64_t lanes, bool apart);

void plan_contiguous(const Target& target, const RowKernel& kernel, int64_t kept, RowPlan& plan);

}  // namespace eglantine::lower
