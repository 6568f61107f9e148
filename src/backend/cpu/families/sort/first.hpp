#pragma once

#include <cstdint>
#include <vector>

#include "backend/cpu/families/sort/key.hpp"
#include "system/thread_pool.hpp"

namespace eglantine::cpu {

/// A row of keys' bits, and which are wanted: the first `keep`, at least one, in sort()'s order with this flip.
struct FirstOfRow {
  const Word* bits;
  DType dtype;
  Word flip;
  int64_t length, keep;
};

/// Their pairs, in order, into `first`; the row in so many chunks, a thread each. Reads the row once.
void find_first(const FirstOfRow& row, int64_t chunks, ThreadPool& pool, std::vector<Pair>& first);

}  // namespace eglantine::cpu
