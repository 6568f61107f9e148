#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/kernel.hpp"

/// What the interpreter does to a block of elements: one function for each operation of the table and each dtype, made
/// of the table's C++ text, in several instruction sets of which the widest that the processor has is taken. The bits
/// are the same in all: the library is built with -ffp-contract=off, and vectors hold independent elements.
namespace eglantine::cpu {

/// The bits of one element, whatever its dtype. All of the backend sees memory as words and makes values of them by
/// bit_cast, so that no two element types ever alias.
using Word = uint32_t;
inline constexpr int64_t word_bytes = sizeof(Word);

/// out[i] = f(x[i], y[i], z[i]) for 0 <= i < n. Arguments beyond the arity may be null. out overlaps no argument.
using ElementwiseBlock = void (*)(Word* out, const Word* x, const Word* y, const Word* z, int64_t n);

/// A reduction on blocks.
struct ReductionBlocks {
  /// accumulator[i] = accumulator[i] ∘ x[i] for 0 <= i < n.
  std::function<void(Word* accumulator, const Word* x, int64_t n)> accumulate;
  /// A short serial scan: low = low ∘ x[i], out[i] = base ∘ low, for 0 <= i < n. out does not overlap x.
  std::function<void(Word* out, const Word* x, int64_t n, Word base, Word& low)> prefix;
  /// The row tree's end: folds four components a lane, then the lanes, a power of two and at most layout::row_lanes.
  std::function<Word(const Word* accumulators, int64_t lanes)> fold_lanes;
  /// The identity's bits.
  Word identity;
};

/// argmax and argmin: NaN beats every number; an element only beats one that comes before it when it is better.
struct ArgBlocks {
  /// Goes through x[0..n) in order: an element that beats `best` becomes it, and its place plus first_index best_index.
  void (*scan)(const Word* x, int64_t n, Word first_index, Word& best, Word& best_index);
  /// Where x[i] beats best[i], takes it and sets best_index[i] to index[i]: for all 0 <= i < n.
  void (*merge)(Word* best, Word* best_index, const Word* x, const Word* index, int64_t n);
};

/// One tile of an integer matrix product, modulo 2^32: tile[i][j] += sum over k of a[k][i] * b[k][j].
inline constexpr int64_t tile_rows = 4, tile_columns = 16;
using IntegerTile = void (*)(Word* tile, const Word* a, const Word* b, int64_t k);

/// The function of a row of the table for arguments of dtype `argument` (the last one: the condition of `where` is
/// boolean whatever the others are). Throws DTypeError when the row does not take it.
ElementwiseBlock elementwise_block(Op op, DType argument);
ElementwiseBlock cast_block(DType from, DType to);
/// `own`: the user's operation of Reduction::custom. What its function throws comes out of the blocks.
ReductionBlocks reduction_blocks(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);
ReductionBlocks custom_reduction_blocks(const ReduceOpPtr& custom);
/// out[i] = op(args[0][i], args[1][i], ...) for 0 <= i < n, floats all. out overlaps no argument.
void custom_block(const ElementwiseOp& op, Word* out, const std::vector<const Word*>& args, int64_t n);
/// `reduction` is argmax or argmin.
ArgBlocks arg_blocks(Reduction reduction, DType dtype);
IntegerTile integer_tile();

/// The functions in one instruction set; the pointers they give are null where the table has no such combination.
struct BlockTable {
  ElementwiseBlock (*elementwise)(Op op, DType argument);
  ElementwiseBlock (*cast)(DType from, DType to);
  ReductionBlocks (*reduction)(Reduction reduction, DType dtype);
  ArgBlocks (*arg)(Reduction reduction, DType dtype);
  IntegerTile tile;
};

namespace baseline {
extern const BlockTable table;
}
namespace avx2 {
extern const BlockTable table;
}
namespace avx512 {
extern const BlockTable table;
}

}  // namespace eglantine::cpu
