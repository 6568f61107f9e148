#pragma once

#include <vector>

#include "codegen/stage/stage.hpp"
#include "lower/reduce/schedule/group_plan.hpp"

/// Where a dispatch of a level reads and writes: how its stages are addressed by the numbers of items and elements, and
/// the windows of these.
namespace eglantine::lower {

/// Whether rows of one block are runs of memory so short that the vectors of a subgroup's lanes lie in many lines, each
/// of which the four loads of a vector would look up again.
bool loads_apart(const ReduceLevel& level, ReducePattern pattern);

/// `eg_load`, which gives the elements.
codegen::LoadStage load_stage(const ReduceLevel& level, codegen::Vectors reads, ReducePattern pattern);
/// `eg_load_index`, which gives the indices of `level.indices`.
codegen::LoadStage index_stage(const ReduceLevel& level, codegen::Vectors reads);

/// Of the results, by epilogue and store.
codegen::AddressSpec write_spec(const ReduceLevel& level, ReducePattern pattern, const char* name);

/// What a dispatch reads along each span of its addresses.
std::vector<Window> read_windows(const ReduceLevel& level, const ReduceWindow& window, ReducePattern pattern);

/// The index of a partial result.
int64_t partial_index(const ReduceLevel& level, int64_t kept, int64_t block);
/// The words of the partial results that a dispatch writes.
layout::Reach partial_words(const ReduceLevel& level, const ReduceWindow& window);

}  // namespace eglantine::lower
