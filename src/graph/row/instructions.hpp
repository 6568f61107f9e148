#pragma once

#include <cstdint>
#include <vector>

#include "graph/kernel/kernel.hpp"

namespace eglantine {

/// For each instruction of a row kernel's expression, whether it is one for a row.
std::vector<bool> of_rows(const Expr& value, int kept_rank);

/// What is known of each instruction of a row kernel's expression, from the expression alone, before the steps of its
/// chain are chosen.
struct RowInstructions {
  explicit RowInstructions(const RowKernel& row_kernel);

  int32_t size() const { return static_cast<int32_t>(value.code.size()); }
  const Instruction& step(int32_t i) const { return value.code[static_cast<size_t>(i)]; }
  bool of_row(int32_t i) const { return rows[static_cast<size_t>(i)]; }
  int level(int32_t i) const { return levels[static_cast<size_t>(i)]; }
  int most_level() const;
  bool is_constant(int32_t i) const { return constants[static_cast<size_t>(i)]; }
  /// What is so quick to compute or to read again that it needs no register: a weight, which all rows share.
  bool is_free(int32_t i) const;
  bool is_costly(int32_t i) const;

  /// Visits the instructions of the extra outputs and, last, of the kernel's own result, with where they go.
  template <class Visit>
  void for_each_result(Visit visit) const {
    for (int32_t i = 0; i < size(); ++i)
      if (step(i).op == Op::store) visit(step(i).args[0], value.operands[static_cast<size_t>(step(i).args[1])]);
    visit(size() - 1, kernel.out);
  }

  const RowKernel& kernel;
  const Expr& value;
  std::vector<bool> rows;   ///< whether it is one for a row; what a join of folds reads as elements is not (joins.hpp)
  std::vector<int> levels;  ///< how many passes come before it can be computed
  std::vector<bool> constants;  ///< whether it is made of parameters alone
};

}  // namespace eglantine
