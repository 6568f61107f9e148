#include "lower/staged_rows.hpp"

#include <bit>

#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

// As of row kernels (lower/row/schedule/staged.cpp): rows of two are half a vector.
bool is_worth_staging(const Target& target, int64_t rows, int64_t length) {
  constexpr int64_t shortest = 3, fewest_rows_of_resident = 8;
  return length >= shortest && length % vector_width != 0 &&
         rows * fewest_rows_of_resident >= target.resident_invocations;
}

std::optional<StagedGroup> staged_group(const Target& target, int64_t length) {
  // Of shared memory a group: several groups load while others combine.
  constexpr int64_t usual_group = 128, smallest_group = 32, bytes_a_group = 16384, word_bytes = 4;
  const int64_t steps = ceil_divide(length, vector_width);
  StagedGroup plan{group_size_of(target, usual_group),
                   static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(ceil_divide(most_staged_vectors, steps))))};
  // Alike for all rows of as many vectors, of which the last may pass the end.
  const auto words = [&] { return plan.rows_at_once() * steps * vector_width; };
  const auto passes = [&](int64_t bytes) { return words() * word_bytes > bytes; };
  while (plan.rows_each > 1 && passes(bytes_a_group)) plan.rows_each /= 2;
  while (plan.group > smallest_group && passes(bytes_a_group)) plan.group /= 2;
  if (passes(target.max_shared_bytes)) return std::nullopt;
  plan.words = words();
  return plan;
}

}  // namespace eglantine::lower
