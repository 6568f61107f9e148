#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verbs/reduce/parts.hpp"

/// All of a tensor in parts as it lies in memory, whatever its axes are: where every element is reduced, their order is
/// free. On GPUs, of many elements, through which no derivative goes (but
/// lies_in_order(), which asks for none of that).
namespace eglantine::verbs {

/// All of x in the order of memory: rows that a kernel takes, which begin at whole vectors, and what lies before and
/// behind them, if anything.
struct PartsInMemory {
  Tensor head;
  std::vector<Tensor> rests;
};

/// Rows of `part` elements, of an f32 tensor in memory that no cache holds, without gaps. Flipped axes are read
/// forwards.
std::optional<PartsInMemory> parts_in_memory(const Tensor& x, int64_t part);

/// The same of rows whose length leaves few elements, of x that a cache may hold.
std::optional<PartsInMemory> parts_with_little_rest(const Tensor& x);

/// All of x, of memory with gaps: as few equal parts as a kernel joins, and what few elements are left, if any.
struct PartsAndRest {
  Parts parts;
  Tensor rest;
};

/// Of x in the order of its memory.
std::optional<PartsAndRest> parts_and_little_rest(const Tensor& x);

/// Whether all of x lies in its own order in memory, from a whole vector on.
bool lies_in_order(const Tensor& x);

}  // namespace eglantine::verbs
