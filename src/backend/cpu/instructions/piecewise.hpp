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
  /// Linear functions of the place in a row: what the address is made of, and the coordinates that decide about it.
  struct Line {
    Layout layout;
    int64_t step;  ///< along a row
  };
  struct Jump {
    size_t line;
    int64_t from, add, times;
  };
  struct Bound {
    size_t line;
    int64_t count;
  };
  /// Places [first, end) of a row, and what is at place 0: of the lines, of the address, and of what they are read
  /// into.
  struct Part {
    const int64_t* lines;
    int64_t address, step, first, end;
    Word* to;
  };

  size_t line_of(const Layout& layout);
  int64_t at(const Part& part, size_t line, int64_t place) const {
    return part.lines[line] + lines_[line].step * place;
  }
  Part inside(Part part) const;
  bool is_in_place(const Part& part) const { return !is_narrow_ && part.step == 1; }
  /// Looks at the jumps from the `number`-th on, and calls visit(part) for each part that makes the same ones.
  template <class Visit>
  void visit_parts(Part part, size_t number, Visit visit) const;
  void gather(const Part& part) const;

  Elements elements_;
  bool is_narrow_;
  std::vector<Line> lines_;  ///< the first is the address but for the jumps
  std::vector<Jump> jumps_;
  std::vector<Bound> bounds_;
  Word otherwise_;
};

}  // namespace eglantine::cpu
