#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "backend/cpu/instructions/transpose.hpp"

namespace eglantine::cpu {

inline constexpr int64_t long_run = 16;  ///< so many elements side by side are worth a call that copies them

/// to[i] = from[i * stride].
template <class T>
void move_run(const T* from, int64_t stride, T* to, int64_t count) {
  if (stride == 1)
    std::copy_n(from, count, to);
  else if (stride == 0)
    std::fill_n(to, count, *from);
  else
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

/// Rows in memory: element i of row j is first[j * row + i * step].
template <class T>
struct StridedRows {
  T* first;
  int64_t row, step;
};

/// Fetches a cache line, and takes it from other cores. No processor faults; one that lacks the instruction skips it.
inline void prefetch_to_write(const void* line) {
#if defined(__x86_64__)
  // The compilers' builtin reads the line unless compiled for processors that all have the instruction.
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

/// Fetches the cache lines of contiguous rows, all at once: rows far apart are no stream that the processor expects,
/// and stores, which it does one after another, would wait for each line by itself.
template <class T>
void prefetch_to_write(const StridedRows<T>& x, int64_t rows, int64_t length) {
  constexpr int64_t cache_line = 64 / static_cast<int64_t>(sizeof(T));
  if (x.step != 1) return;
  for (int64_t j = 0; j < rows; ++j) {
    const T* row = x.first + j * x.row;
    for (int64_t i = 0; i < length - 1; i += cache_line) prefetch_to_write(row + i);
    prefetch_to_write(row + length - 1);
  }
}

/// Rows that are all alike are read once; others along the axis in which memory is closer together.
template <class T>
void move_rows(StridedRows<const T> from, StridedRows<T> to, int64_t rows, int64_t length) {
  const auto move = [&](int64_t j, int64_t i) {
    to.first[j * to.row + i * to.step] = from.first[j * from.row + i * from.step];
  };
  if (to.step == 1 && length >= long_run && from.row == 0) {
    move_run(from.first, from.step, to.first, length);
    for (int64_t j = 1; j < rows; ++j) std::copy_n(to.first, length, to.first + j * to.row);
  } else if (to.step == 1 && length >= long_run && std::abs(from.step) <= 1) {
    for (int64_t j = 0; j < rows; ++j) move_run(from.first + j * from.row, from.step, to.first + j * to.row, length);
  } else if (from.row == 1 && to.step == 1) {
    transpose(from.first, from.step, to.first, to.row, rows, length);
  } else if (from.step == 1 && to.row == 1) {
    transpose(from.first, from.row, to.first, to.step, length, rows);
  } else if (std::abs(from.row) < std::abs(from.step)) {
    for (int64_t i = 0; i < length; ++i)
      for (int64_t j = 0; j < rows; ++j) move(j, i);
  } else {
    for (int64_t j = 0; j < rows; ++j)
      for (int64_t i = 0; i < length; ++i) move(j, i);
  }
}

}  // namespace eglantine::cpu
