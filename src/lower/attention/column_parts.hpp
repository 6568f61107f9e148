#pragma once

#include <vector>

#include "graph/kernel/expression.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// What parts of an attention's columns give, f32, each part's behind that of the part before: for each row its results
/// u = sum over the part's columns of exp(score - l) v, its largest score l (or a number that scores are as near to),
/// and its sum t = sum of exp(score - l); l of a row that sees nothing is -infinity, u and t are 0. And the steps that
/// merge them. (l and t apart: where scores are large, l + log t has lost t.)
class ColumnParts {
 public:
  static ColumnParts of(Lowering& lowering, const AttentionKernel& kernel, int64_t count);

  const Strided& all_results() const { return results_; }
  const Strided& all_sums() const { return sums_; }
  Strided results_of(int64_t part) const;
  Strided sums_of(int64_t part) const;  ///< l and t of each row, side by side

  /// Whether merge() can write `out`, of any storage: it is contiguous, or its last axis is a row's results.
  bool merges_into(const Strided& out) const;
  /// out = sum over the parts of w u / sum of w t, w = exp(l - the largest l); 0 where no part sees a column.
  /// logsumexp = the largest l + log(sum of w t), unless it has no buffer.
  void merge(Lowering& lowering, const Strided& out, const Strided& logsumexp) const;
  /// The same as a part of a larger one: the largest l, the sums of w u and of w t.
  void add(Lowering& lowering, const Strided& results, const Strided& sums) const;

 private:
  /// Instructions: the largest l, whether that is -infinity, the number that exponentials are relative to, the sum of w
  /// t, and w of each part.
  struct Weights {
    int largest, sees_nothing, base, total;
    std::vector<int> of_parts;
  };

  ColumnParts(const Strided& results, const Strided& sums, int64_t count);
  int load_of_row(ExpressionBuilder& builder, const std::vector<int64_t>& rows, int64_t part, int64_t which) const;
  Weights weights_of(ExpressionBuilder& builder, const std::vector<int64_t>& rows) const;
  int sum_of_results(ExpressionBuilder& builder, const Weights& weights) const;
  std::vector<int64_t> rows_of(const Shape& domain) const;
  Strided as_rows(const Strided& out) const;

  Strided results_, sums_;
  int64_t count_, rows_, row_results_;
};

}  // namespace eglantine::lower
