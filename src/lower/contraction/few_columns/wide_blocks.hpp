#pragma once

#include "lower/contraction/few_columns/schedule.hpp"

/// Products along rows with many columns in blocks as wide as groups, and what decides for them.
namespace eglantine::lower {

/// Whether an invocation has so many columns' sums that vectors of rows leave room for few groups.
bool has_many_sums(const FewColumnsProduct& product);
/// Whether some operand's vectors of rows take several loads, or what joins them: beside many sums neighbouring
/// elements for neighbouring invocations take less.
bool splits_vectors(const FewColumnsProduct& product);

/// Whether four neighbouring rows of some operand take a load each.
bool reads_rows_one_by_one(const FewColumnsProduct& product);
/// Whether a product along rows is better read in blocks as wide as its groups, from columns that lie across: many
/// sums an invocation of a large matrix that is narrow or whose vectors begin anywhere.
bool gains_by_wide_blocks(const Target& target, const FewColumnsProduct& product);

/// A block is as wide as a group has invocations: each has rows of its own, without lanes, and all read the same
/// columns, four in a load. Small blocks read the columns so often that these pass the matrix in bytes.
void plan_wide_blocks(const Target& target, const FewColumnsProduct& product, FewColumnsPlan& plan);
/// Chunks of k that give the device some rounds of groups, or shorter ones that give it one.
int64_t wide_chunk_quads(const Target& target, const FewColumnsProduct& product);

}  // namespace eglantine::lower
