#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/kernel/kernel.hpp"

/// The interpreter's block operations: one function for each row of ops.def and dtype, compiled for several instruction
/// sets; the widest supported runs. All give the same bits: -ffp-contract=off, and vectors hold independent elements.
namespace eglantine::cpu {

/// The bits of one element of any dtype. The backend reads memory as words and converts by bit_cast: no types alias.
using Word = uint32_t;
inline constexpr int64_t word_bytes = sizeof(Word);

/// Elements that an instruction processes at a time: several registers fit the first-level cache; amortizes dispatch.
inline constexpr int64_t block_elements = 1024;

/// out[i] = f(x[i], y[i], z[i]) for 0 <= i < n. Arguments beyond the arity may be null. out overlaps no argument.
using ElementwiseBlock = void (*)(Word* out, const Word* x, const Word* y, const Word* z, int64_t n);

struct ReductionBlocks {
  /// accumulator[i] = accumulator[i] ∘ x[i] for 0 <= i < n.
  std::function<void(Word* accumulator, const Word* x, int64_t n)> accumulate;
  /// A short serial scan: low = low ∘ x[i], out[i] = base ∘ low, for 0 <= i < n. out does not overlap x.
  std::function<void(Word* out, const Word* x, int64_t n, Word base, Word& low)> prefix;
  /// The end of the row tree: folds each lane's four components, then the lanes (a power of 2, <= layout::row_lanes).
  std::function<Word(const Word* accumulators, int64_t lanes)> fold_lanes;
  Word identity;
  bool exact = false;  ///< whether any grouping gives the same
};

/// n elements side by side in memory: to words, and from them. out does not overlap x.
struct StorageBlocks {
  void (*widen)(Word* out, const void* x, int64_t n);
  void (*narrow)(void* out, const Word* x, int64_t n);
};

/// argmax and argmin: NaN beats every number; of equal elements the first wins.
struct ArgBlocks {
  /// Visits x[0..n) in order: what beats `best` replaces it, and best_index by first_index plus its position.
  void (*scan)(const Word* x, int64_t n, Word first_index, Word& best, Word& best_index);
  /// For 0 <= i < n: where x[i] beats best[i], sets best[i] to it and best_index[i] to index[i].
  void (*merge)(Word* best, Word* best_index, const Word* x, const Word* index, int64_t n);
};

/// One tile of an integer matrix product, modulo 2^32: tile[i][j] += sum over k of a[k][i] * b[k][j].
inline constexpr int64_t tile_rows = 4, tile_columns = 16;
using IntegerTile = void (*)(Word* tile, const Word* a, const Word* b, int64_t k);

/// Sorts `sorted_at_once` rows side by side, upwards: element i of row r is keys[i * sorted_at_once + r].
inline constexpr int64_t sorted_at_once = 16;
using SortBlock = void (*)(Word* keys, int64_t length);

/// c[i n + j] = sum over k of a[i a_row + k a_step] * b(k, j), one product after the other: a small matrix product,
/// whose results stay in registers. b(k, j) is b[k b_step + j] for k < steps, and rest[(k - steps) padded_columns(n) +
/// j] from there on; whole vectors of it are read, up to column padded_columns(n).
struct SmallProduct {
  const Word *a, *b, *rest;
  Word* c;
  int64_t a_row, a_step, b_step, steps;
  int64_t m, n, k;
};
using SmallProductBlock = void (*)(const SmallProduct& product);
/// Of vectors of 4, 8 or 16 lanes.
inline int64_t small_product_lanes(int64_t n) { return n <= 4 ? 4 : n <= 8 ? 8 : 16; }
inline int64_t padded_columns(int64_t n) {
  const int64_t lanes = small_product_lanes(n);
  return (n + lanes - 1) & -lanes;
}

/// c[i c_row + j] = sum over k of a[i a_row + k a_step] * b[b_rows[k] + j], one fused multiply-add after the other: a
/// product whose right side lies row by row. Of b's rows whole vectors are read, up to column product_columns(n).
struct FloatProduct {
  const Word *a, *b;
  const int64_t* b_rows;
  Word* c;
  int64_t a_row, a_step, c_row;
  int64_t m, n, k;
};
using FloatProductBlock = void (*)(const FloatProduct& product);
constexpr int64_t product_columns(int64_t n) { return (n + 15) & -16; }  ///< n in the widest set's vectors

/// A row's function by the dtype of its last argument (where's condition is boolean). Throws DTypeError if it has none.
ElementwiseBlock elementwise_block(Op op, DType argument);
ElementwiseBlock cast_block(DType from, DType to);
/// `custom`: the user's operation of Reduction::custom, whose exceptions pass through the blocks.
ReductionBlocks reduction_blocks(Reduction reduction, DType dtype, const ReduceOpPtr& custom = nullptr);
ReductionBlocks custom_reduction_blocks(const ReduceOpPtr& custom);
/// out[i] = op(args[0][i], args[1][i], ...) for 0 <= i < n, all floats. out overlaps no argument.
void custom_block(const ElementwiseOp& op, Word* out, const std::vector<const Word*>& args, int64_t n);
ArgBlocks arg_blocks(Reduction reduction, DType dtype);  ///< argmax or argmin
IntegerTile integer_tile();
SmallProductBlock small_product_block(DType dtype);
FloatProductBlock float_product_block();  ///< null where no instruction multiplies and adds
StorageBlocks storage_blocks(StorageType storage);
SortBlock sort_block();

/// The functions of one instruction set; they return null where the table lacks the combination.
struct BlockTable {
  ElementwiseBlock (*elementwise)(Op op, DType argument);
  ElementwiseBlock (*cast)(DType from, DType to);
  ReductionBlocks (*reduction)(Reduction reduction, DType dtype);
  ArgBlocks (*arg)(Reduction reduction, DType dtype);
  IntegerTile tile;
  SmallProductBlock small_product_of_floats, small_product_of_integers;
  FloatProductBlock product_of_floats;
  StorageBlocks (*storage)(StorageType storage);
  SortBlock sort;
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
