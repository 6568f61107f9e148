#pragma once

#include <optional>

#include "codegen/addresses/addresses.hpp"
#include "graph/kernel/few_columns.hpp"
#include "layout/divide.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// A FewColumnsKernel's product: a matrix (batches, rows, length) times columns (batches, columns, length), whose
/// programs count in flat numbers of each. A quad is four neighbouring steps of `length`.
struct FewColumnsProduct {
  Expr matrix;
  int kept_rank = 0;  ///< of the matrix's domain: the axes of batches and rows
  Strided vectors;    ///< columns_of()
  FewColumnsSizes sizes;
  bool columns_first = false;  ///< results are in the order (batch, column, row), else (batch, row, column)
  bool along_rows = false;     ///< neighbouring rows of the matrix are one vector, else neighbouring steps
  bool rows_beside = false;    ///< neighbouring rows lie closer together in memory than neighbouring steps, and apart
  bool rows_apart = false;     ///< along rows that are no whole vectors in batches: read one by one
  bool across = false;         ///< four neighbouring columns are one vector, else neighbouring steps of a column;
                               ///< along rows in wide blocks, and the last vector may have columns past the last

  DType dtype() const { return matrix.dtype(); }
  int64_t results() const { return sizes.batches * sizes.rows * sizes.columns; }
  int64_t quads() const { return (sizes.length + 3) / 4; }
  bool in_wide_blocks() const { return along_rows && across; }
};
FewColumnsProduct product_of(const FewColumnsKernel& kernel);

/// Its first span counts rows of all batches, its second k; vectors are of either.
codegen::AddressSpec matrix_spec(const FewColumnsProduct& product);

/// How the product is divided. A group has `places` side by side, each `rows_each` rows for all columns in registers,
/// which `lanes` invocations share along k.
struct FewColumnsPlan {
  bool along_rows = false;  ///< as of the product
  bool apart = false;       ///< along rows: an invocation's rows are `places` apart, read element by element
  bool subgroups = false;   ///< lanes add up by shuffles
  int64_t rows_each = 4;    ///< a power of two; 4 along rows
  int64_t lanes = 1;        ///< a power of two
  int64_t team = 1;         ///< along k: lanes side by side in a subgroup, which add up first; the others' sums follow
  int64_t group_size = 1;   ///< invocations
  int64_t run = 1;  ///< neighbouring quads that an invocation loads at once (codegen/addresses/runs.hpp); 1 along rows
  int64_t unroll = 1;       ///< runs that an invocation loads before it uses the first
  int64_t chunk_quads = 1;  ///< of one chunk of k, whole runs; chunks have groups, and results, of their own
  int64_t batches = 0;      ///< of few rows, which a group has with their columns in shared memory; 0: a group's is one

  int64_t places() const { return group_size / lanes; }
  /// Lanes of a place that add up first.
  int64_t lanes_together() const;
  int64_t block_rows() const { return places() * rows_each; }  ///< of a group
  /// Vectors of shared memory for the columns of a group's batches, of few sizes, so that programs are few.
  int64_t column_slots(int64_t columns) const { return round_up(batches * columns * chunk_quads, 64); }
};
/// Quads of a chunk of k whose columns a multiprocessor's cache holds beside the rows that pass through it. All where k
/// is no longer, columns are few, or the matrix is so small that another dispatch counts: groups then read the columns
/// at different times from the cache that all multiprocessors share (12,000 x 8000 by 12 columns on an H200 211 us, so
/// 181; by 15 1,105 and 554; by 8 155 and 162).
int64_t cached_quads(const Target& target, const FewColumnsProduct& product);
FewColumnsPlan plan_few_columns(const Target& target, const FewColumnsProduct& product);
/// The same for groups that have several batches of few rows; nothing where these are longer, or lie otherwise.
std::optional<FewColumnsPlan> plan_batches_together(const Target& target, const FewColumnsProduct& product);

}  // namespace eglantine::lower
