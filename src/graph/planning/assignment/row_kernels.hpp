#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "graph/planning/assignment/extra_outputs.hpp"
#include "graph/planning/assignment/row_findings.hpp"
#include "graph/planning/ownership/ownership.hpp"
#include "graph/planning/ownership/reads.hpp"

namespace eglantine {

/// Decides which kernels compute rows, and which reductions are steps of them: from the rows of each reduction
/// (ownership/row_chains.hpp), whether what reads it is made of the same elements, and what the assignment before
/// found.
class RowKernels {
 public:
  RowKernels(Ownership& owners, const std::unordered_set<const Node*>& forced, const DeviceLimits& device,
             RowFindings& found)
      : owners_(owners), forced_(forced), device_(device), found_(found), results_(found, owners, device) {}

  /// x's kernel becomes a row kernel if another reduction of the same rows is below x, which then joins it.
  void start(const Node& x, const Node& kernel);
  /// The kernels that read x, if each takes it in as a step over its rows; else none. They may compute elements from
  /// them, or other reductions of them. Each computes x itself: it reads its rows anyway.
  std::vector<const Node*> join(const Node& x, const Reads& reads);
  /// The row kernel among x's readers that computes and stores x for all of them, a value of rows; or null.
  const Node* join_and_store(const Node& x, const Reads& reads, const ExtraOutputs& extra_outputs);
  /// Kernels that read x, one value for each of their rows, compute these rows, if x is made of a reduction of them.
  void expect(const Node& x, const Reads& reads);
  /// Whether a kernel of values, one for each row, computes these rows, or will, since it is made of a reduction of
  /// them.
  bool computes_rows(const Node& kernel) const { return rows_expected(kernel).has_value(); }
  /// Such a kernel computes them from now on.
  RowFolds& expect_rows(const Node& kernel);
  /// For readers of x, which is a step of none of them, what would be a row kernel of its own. `kernel`: x's.
  void note_results(const Node& x, const Node& kernel, const Reads& reads);

 private:
  std::optional<RowFolds> foldable_rows_of(const Node& x) const;
  bool may_join(const Node& x, const Node& kernel, const RowFolds& rows) const;
  void expect(const Node& x, const Node& kernel);
  std::optional<RowFolds> rows_expected(const Node& kernel) const;
  std::unordered_set<const Node*> beyond(const Node& kernel) const;

  Ownership& owners_;
  const std::unordered_set<const Node*>& forced_;
  const DeviceLimits& device_;
  const RowFindings& found_;
  RowResults results_;
};

}  // namespace eglantine
