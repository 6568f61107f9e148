#pragma once

#include <string>

#include "lower/contraction/few_columns/schedule.hpp"

namespace eglantine::lower {

/// What differs in few_columns.comp from plan to plan.
struct FewColumnsShader {
  FewColumnsPlan plan;
  DType dtype;
  int64_t columns = 1;
  bool columns_first = false;
  int64_t across = 0;  ///< vectors of neighbouring columns that one load brings; 0 where it is neighbouring steps
  bool columns_in_one_row = false;       ///< across: those of all steps follow each other
  bool factored = false;                 ///< one column: eg_factor(k) multiplies the sum of a run (factor.hpp)
  bool tail = false;                     ///< the last quad may be partial
  bool vector_results = true;            ///< four neighbouring results are stored at once
  bool fused_steps = true;               ///< f32: products are added by fma()
  bool whole_blocks = false;             ///< no group has rows past the last
  std::vector<std::string> addresses{};  ///< what eg_matrix_address() and eg_factor_address() set

  /// An invocation stores its own results.
  bool alone() const { return plan.lanes == 1; }
};

/// The constants and macros of the template: text over the invocation's rows and columns, unrolled since drivers do not
/// do it, which keeps sums in registers.
std::string few_columns_defines(const FewColumnsShader& shader);

}  // namespace eglantine::lower
