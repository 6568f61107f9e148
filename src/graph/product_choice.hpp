#pragma once

#include <optional>

#include "graph/node.hpp"

namespace eglantine {

/// A product as that of a matrix, which its kernel reads through an expression, with a few columns in memory.
struct FewColumns {
  bool of_rows = false;    ///< the left operand has few rows, and the matrix is the right one, transposed
  int merged_batches = 0;  ///< innermost batch axes that count as columns, for the matrix is the same along them

  const NodePtr& matrix(const nodes::Matmul& product) const { return of_rows ? product.b : product.a; }
  const NodePtr& vectors(const nodes::Matmul& product) const { return of_rows ? product.a : product.b; }
  /// Results are in the order (batch, column, row).
  bool columns_first() const { return of_rows || merged_batches > 0; }
};

/// Whether products (m, k) x (k, n) of matrices that no other product has are of few columns. shown_again: the matrix
/// shows elements several times, and would be stored for another form.
bool has_few_columns(int64_t m, int64_t n, int64_t k, bool shown_again = false);

/// Elements of two matrices that a work group has together in shared memory.
inline constexpr int64_t most_small_elements = 4096;

/// Decided by the shapes, and by along which axes the matrix is broadcast; nothing for other products.
std::optional<FewColumns> few_columns_of(const Node& product);

/// Whether x is a view, of many elements, whose neighbours along the last axis lie in different lines of memory, while
/// others share them.
bool is_scattered(const Node& x);

/// The copy of what is scattered that x, the matrix of such a product or what a sum of products reads, shows in
/// windows, when so many elements of x are read: each several times; else null. It is worth its memory: it reads and
/// writes each element once, windows would read a line for each of theirs.
const Node* scattered_windows(const Node& x, int64_t elements_read);
inline const Node* scattered_windows(const Node& x) { return scattered_windows(x, x.shape.elements()); }

/// The padded tensor that b of a contraction shows in windows, several times each element, where it is better stored:
/// whether an element is padding is asked each time that it is read. On a GPU only of long sums in few rows, as in
/// gradients of weights. Null for others.
const Node* padded_windows(const nodes::Contraction& sums, bool gpu);

}  // namespace eglantine
