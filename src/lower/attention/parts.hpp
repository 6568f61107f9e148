#pragma once

#include <utility>

#include "lower/attention/program.hpp"

/// Parts of attention: of its heads, of its rows, and of its columns, whose results are merged.
namespace eglantine::lower {

/// The elements of `count` lines (axis -2, from_end 2) or elements (axis -1) from `first` on.
void restrict_axis(Strided& x, int from_end, int64_t first, int64_t count);

/// A matrix whose lines a binding does not cover is copied: lines are then contiguous. Nothing without a buffer.
void copy_scattered(Lowering& lowering, Strided& x);

/// The same of one whose nearest elements, along lines or across, lie more than half a sector of memory apart,
/// as where heads are the innermost axis: copied, it is read by vectors (2906 x 12 heads of 24 rows of 128).
void copy_apart(Lowering& lowering, Strided& x);

/// Both parts of a kernel whose epilogue is the accumulator alone.
std::pair<AttentionPart, AttentionPart> halves_of_heads(const AttentionPart& part);
std::pair<AttentionPart, AttentionPart> halves_of_rows(const AttentionPart& part);  ///< of one head

/// Columns from `first` on, partial, with results of their own.
AttentionPart with_columns(const AttentionPart& part, int64_t first, int64_t count, const Strided& out,
                           const Strided& second);

}  // namespace eglantine::lower
