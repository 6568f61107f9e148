#pragma once

#include <cstdint>
#include <vector>

#include "graph/row/instructions.hpp"

namespace eglantine {

/// Copies what one instruction of a row kernel's expression is computed from, down to values that have numbers: they
/// are Op::accumulator in the copy.
class RowExtraction {
 public:
  /// numbers: by instruction, of its value or -1; they and what is known of the code may change between calls.
  RowExtraction(const RowInstructions& code, const std::vector<int>& numbers) : code_(code), numbers_(numbers) {}

  /// What computes instruction `root`. row: axes of length 1 stand for those of a row.
  Expr of(int32_t root, bool row);
  /// The root is a value that has a number itself.
  Expr of_value(int32_t root, bool row);

 private:
  const Expr& from() const { return code_.value; }
  const Instruction& step(int32_t i) const { return code_.step(i); }
  bool has_number(int32_t i) const { return numbers_[static_cast<size_t>(i)] >= 0; }
  void begin(int32_t root, bool row);
  std::vector<bool> needed_by(int32_t root) const;
  void shorten(Shape& shape) const;
  int32_t iota(int32_t number);
  int32_t operand(int32_t number);
  int32_t parameter(int32_t number);
  int32_t call(int32_t number);
  int32_t place_of(int32_t i) const { return places_[static_cast<size_t>(i)]; }
  Instruction copy_of(const Instruction& old);
  void copy(int32_t i, bool is_root);

  const RowInstructions& code_;
  const std::vector<int>& numbers_;
  bool row_ = false;
  Expr result_;
  std::vector<int32_t> places_, iotas_;  ///< in the copy; -1 of what is not there
};

}  // namespace eglantine
