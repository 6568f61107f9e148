#pragma once

#include "backend/gl/sort_program.hpp"

/// The radix sort of hardware whose groups may wait for each other: every pass reads and writes the records once.
namespace eglantine::gl {

/// Rows of records, from where they are read to where the first `keep` of each are written.
struct Sweep {
  SortTask task;
  int64_t rows = 1, length = 0, keep = 0;
  SortSource source;
  SortTarget target;
};

/// Sorts, or does nothing and returns false where the device lacks something: forward progress, subgroups of 32,
/// bindings, or a range that covers all rows.
bool run_sweep(Runtime& runtime, const Sweep& sweep);

}  // namespace eglantine::gl
