#pragma once

#include "layout/divide.hpp"
#include "lower/contraction/schedule/schedule.hpp"
#include "lower/program_dispatch.hpp"

/// Products of small matrices, several of which lie in a work group's shared memory.
namespace eglantine::lower {

/// What lies between the lowest and the highest element of a matrix, and from one matrix to the next.
struct Span {
  int64_t matrix, step;

  int64_t of(int64_t count) const { return (count - 1) * step + matrix; }
};

/// A product whose groups have neighbours along the innermost batch axis.
struct SmallProduct {
  static constexpr int group = 128, columns_each = 4, lanes = 32;  ///< invocations, an invocation's columns, a subgroup

  explicit SmallProduct(const Contraction& of, int rows_each);

  const Contraction& product;
  Span a, b;
  int rows;       ///< of an invocation
  bool in_order;  ///< a group has its results in shared memory, in their order, before they are stored

  /// Four neighbouring narrow results are whole words.
  bool columns_together() const;
  /// Between neighbouring invocations' columns of b.
  int64_t column_step() const;
  int64_t across() const { return ceil_divide(product.n(), columns_each); }
  int64_t down() const { return ceil_divide(product.m(), rows); }
  int64_t tiles() const { return across() * down(); }  ///< of a matrix
  int64_t results(int64_t count) const { return count * product.m() * product.n(); }
  /// In order they take the operands' place where each invocation has one tile.
  bool over_operands(int64_t count) const { return in_order && count * tiles() <= group; }
  int64_t elements(int64_t count) const;  ///< of shared memory
  int64_t matrices() const { return product.domain[product.batch_rank - 1]; }
  int64_t groups(int64_t count) const { return ceil_divide(matrices(), count) * (product.batches() / matrices()); }
  /// How many of its matrices a group has: those that give each invocation a tile, of results in order at most one; a
  /// power of two, or three quarters of one, so that programs are few. 0 where none fits.
  int64_t count() const;
  /// Whether the results of every group of so many are whole vectors of memory.
  bool stores_vectors(int64_t count) const;
};

/// Elements of vectors of memory, of which the first may begin before the first of `elements`.
inline int64_t in_vectors(int64_t elements) { return round_up(elements + vector_width - 1, vector_width); }

}  // namespace eglantine::lower
