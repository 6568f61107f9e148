#pragma once

#include <cstdint>
#include <optional>

#include "lower/target.hpp"

/// Short rows that lie one behind the other and begin anywhere: groups take them to shared memory in the order of
/// memory, and an invocation then has whole rows.
namespace eglantine::lower {

struct StagedGroup {
  int64_t group = 1;      ///< invocations
  int64_t rows_each = 1;  ///< of an invocation at a time
  int64_t words = 0;      ///< of shared memory

  int64_t rows_at_once() const { return group * rows_each; }
};

/// Whether rows are odd enough, and many enough, for that.
bool is_worth_staging(const Target& target, int64_t rows, int64_t length);

/// Nothing where shared memory holds no group's rows of so many elements of a word.
std::optional<StagedGroup> staged_group(const Target& target, int64_t length);

/// Vectors of a group's rows that an invocation has in flight at most.
inline constexpr int64_t most_staged_vectors = 8;

}  // namespace eglantine::lower
