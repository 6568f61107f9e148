#pragma once

#include <string>

#include "lower/attention/text_parts.hpp"

namespace eglantine::lower {

/// The text of products over rows that `lanes` neighbours of a subgroup share, a power of two: lane x has every
/// lanes-th vector of each row's elements, in registers, and goes through columns in shared memory `chunk` at a time, a
/// multiple of lanes. Of the columns m lanes + i of a chunk, the lane's own are those of i = x. What it computes for
/// all is named by j, for column m lanes + (x xor j): then the lanes exchange by one shuffle a number, and no number is
/// selected by x.
struct RowLanes {
  int lanes = 1, rows = 1, chunk = 4;
  bool fused = false;

  /// Columns of the tile in shared memory: from `start` on, `vectors` to a column, of which a lane has `own`.
  struct Columns {
    std::string start;
    int vectors, own;
  };

  int columns() const { return chunk / lanes; }  ///< of a chunk that are the lane's own

  std::string vector(char letter, int r, int v) const;         ///< a row's
  std::string own(char letter, int r, int m) const;            ///< of a row and the lane's own column m
  std::string number(char letter, int r, int m, int j) const;  ///< of a row and column m lanes + (x xor j)

  /// Where the columns' vectors begin, in tiles of so many vectors a column: before products and sums.
  std::string declare_columns(int first_vectors, int second_vectors) const;

  /// Declares to<r>_<m>_<j>: dot products, over the lane's elements, of rows `of` with the columns from (c) on.
  std::string products(char to, char of, const Columns& columns) const;
  /// Declares to<r>_<m>: the sums over the lanes of from<r>_<m>_<j>, of the lane's own columns.
  std::string combined(char from, char to) const;
  /// Sets to<r>_<m>_<j> to what each column's lane has in from<r>_<m>.
  std::string spread(char from, char to) const;
  /// Adds to vectors to<r>_<v> the columns from (c) on, multiplied by by<r>_<m>_<j>.
  std::string sums(char to, char by, const Columns& columns) const;
  /// Sets x to its sum, or the largest, over the lanes of a row: the same bits in each of them.
  std::string over_lanes(const std::string& x, bool largest) const;

 private:
  std::string at(const Columns& columns, int m, int j, int v) const;
};

}  // namespace eglantine::lower
