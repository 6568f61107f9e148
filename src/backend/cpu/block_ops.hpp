#pragma once

#include <cstdint>

#include "graph/op.hpp"

/// What the interpreter does to a block of elements: one function for each operation of the table and each dtype, made
/// of the table's C++ text, in several instruction sets of which the first call picks the widest that the processor
/// has. The bits are the same in all: the library is built with -ffp-contract=off, and vectors hold independent
/// elements.
namespace eglantine::cpu {

/// The bits of one element in a register of the interpreter, whatever its dtype. It may alias any element type.
using Word [[gnu::may_alias]] = uint32_t;
inline constexpr int64_t word_bytes = sizeof(Word);

/// out[i] = f(x[i], y[i], z[i]) for 0 <= i < n. Arguments beyond the arity may be null. out overlaps no argument.
using ElementwiseBlock = void (*)(Word* out, const Word* x, const Word* y, const Word* z, int64_t n);

/// A reduction on blocks.
struct ReductionBlocks {
  /// accumulator[i] = accumulator[i] ∘ x[i] for 0 <= i < n.
  void (*accumulate)(Word* accumulator, const Word* x, int64_t n);
  /// The row tree over one group of accumulators, which it overwrites: four components a lane, `lanes` a power of two.
  Word (*fold_lanes)(Word* accumulators, int64_t lanes);
  /// The identity's bits.
  Word identity;
};

/// argmax and argmin: NaN beats every number; an element only beats one that comes before it when it is better.
struct ArgBlocks {
  /// If an element of x[0..n) beats `best`, takes it and sets best_index to first_index plus its place.
  void (*scan)(const Word* x, int64_t n, Word first_index, Word& best, Word& best_index);
  /// Where x[i] beats best[i], takes it and sets best_index[i] to index[i]: for all 0 <= i < n.
  void (*merge)(Word* best, Word* best_index, const Word* x, const Word* index, int64_t n);
};

/// The function of a row of the table for arguments of dtype `argument` (the last one: the condition of `where` is
/// boolean whatever the others are). The table has this combination: the verbs have checked it.
ElementwiseBlock elementwise_block(Op op, DType argument);
ElementwiseBlock cast_block(DType from, DType to);
ReductionBlocks reduction_blocks(Reduction reduction, DType dtype);
/// `reduction` is argmax or argmin.
ArgBlocks arg_blocks(Reduction reduction, DType dtype);
inline bool is_arg(Reduction reduction) { return reduction == Reduction::argmax || reduction == Reduction::argmin; }

}  // namespace eglantine::cpu
