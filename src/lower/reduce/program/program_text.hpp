#pragma once

#include <string>
#include <string_view>

#include "lower/reduce/schedule/group_plan.hpp"

/// The text of a dispatch beside its stages and its accumulators (accumulator_text.hpp): from its plan, what it
/// combines, and the uniforms and bindings that the text names.
namespace eglantine::lower {

/// What a dispatch combines.
struct Combined {
  Reduction reduction;
  DType dtype;
};

/// Of the uniforms: EG_LENGTH, of a row.
inline constexpr int row_length_slot = 8;

std::string_view template_of(ReducePattern pattern);

/// `length`: of a row, as far as the dispatch reads it.
std::string defines_of(const GroupPlan& plan, const Combined& combined, int64_t length);

// ---- what elements become accumulators (element_text.cpp) ----

/// `indices`: elements have indices to load; `length_slot`: the uniform with the rows of a column that one invocation
/// takes, or -1.
std::string element_functions(const GroupPlan& plan, const Combined& combined, bool indices, int length_slot);

// ---- what becomes of results (finish_text.cpp) ----

/// Through the epilogue, which may read the accumulator.
std::string epilogue_finish(const GroupPlan& plan, const Combined& combined, bool reads_accumulator);
/// Partial results; `pitch_slot`: the uniform with how far blocks, or rows, of them lie apart.
std::string partial_finish(const GroupPlan& plan, const Combined& combined, int pitch_slot);
/// How the groups of a single-pass level exchange results, in a binding.
std::string exchange_functions(const Combined& combined, int binding);

}  // namespace eglantine::lower
