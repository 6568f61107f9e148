#pragma once

#include <utility>
#include <vector>

#include "backend/cpu/instructions/elements.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::cpu {

/// The elements of an operand that is read piecewise, as words: by boxes of neighbouring rows, cut where a coordinate
/// passes a bound.
class PiecewiseElements {
 public:
  PiecewiseElements(const Expr& expr, const PiecewiseRead& read);

  /// Elements [start, start + count): in place where they are contiguous words, else gathered into `scratch`.
  const Word* read(int64_t start, int64_t count, Word* scratch) const;

 private:
  /// What linear functions of two places (a row's, and that in the row) grow by from one to the next.
  struct Strides {
    int64_t row, step;
  };
  struct Range {
    int64_t first, end;
    int64_t size() const { return end - first; }
  };
  /// Where the function is at least `least` (below: where it is not) elements are read, or the address jumps.
  struct Condition {
    enum Kind : uint8_t { from, below, jump } kind;
    size_t function;
    int64_t least, add = 0, times = 0;
  };
  struct Box {
    Range rows, places;
    int64_t address;  ///< of place 0 of row 0
    Strides strides;
  };
  using Values = const int64_t*;  ///< of the functions, at place 0 of row 0

  size_t function_of(Layout layout);
  /// Reads places of rows, whose first one's place 0 would be at `to`. If they may stay where they are, and are
  /// contiguous words there: their address, else null.
  const Word* read_rows(Range rows, Range places, Word* to, bool may_stay) const;
  Range values_in(const Box& box, Values values, size_t function) const;  ///< from its least to its largest
  /// Looks at the conditions from the `number`-th on; calls visit(box, is_read) for each part of the box that is read,
  /// by one address, or is not.
  template <class Visit>
  void visit_boxes(Box box, Values values, size_t number, const Visit& visit) const;
  std::pair<Box, Box> cut(const Box& box, Values values, const Condition& condition) const;
  bool is_contiguous(const Box& box) const;
  int64_t address_of(const Box& box) const {
    return box.address + box.strides.row * box.rows.first + box.strides.step * box.places.first;
  }
  const Word* first_of(const Box& box) const;
  void write(const Box& box, bool is_read, Word* to) const;  ///< its elements, or what stands for such outside

  Elements elements_;
  bool is_narrow_;
  Word otherwise_;
  int64_t length_;                 ///< of a row
  std::vector<Layout> functions_;  ///< over the rows, at their place 0; the first is the address but for the jumps
  std::vector<Strides> strides_;   ///< of the functions
  std::vector<Condition> conditions_;
};

}  // namespace eglantine::cpu
