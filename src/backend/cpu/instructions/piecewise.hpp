#pragma once

#include <vector>

#include "backend/cpu/instructions/elements.hpp"
#include "graph/kernel.hpp"

namespace eglantine::cpu {

/// The elements of an operand that is read piecewise, as words: row by row, cut where a coordinate passes a bound.
class PiecewiseElements {
 public:
  PiecewiseElements(const Expr& expr, const PiecewiseRead& how);

  /// Elements [start, start + count): in place where they are contiguous words, else gathered into `scratch`.
  const Word* read(int64_t start, int64_t count, Word* scratch) const;

 private:
  /// A linear function of a place in a row.
  struct Line {
    int64_t first = 0, step = 0;
  };
  /// Some places of a row that is being read, and what they are read into.
  struct Part {
    const std::vector<Line>& coordinates;  ///< by iota
    Line address;
    int64_t first, end;
    Word* to;       ///< of place 0
    int64_t whole;  ///< so many places need not be copied; 0: all must
  };

  Line line(const Layout& x, const std::vector<int64_t>& at) const;
  const Word* read_row(Part part) const;
  /// The address jumps from the `jump`-th on still to be looked at.
  const Word* read_part(Part part, size_t jump) const;

  Elements elements_;
  std::vector<Layout> iotas_;
  PiecewiseRead how_;
};

}  // namespace eglantine::cpu
