#pragma once

#include <vector>

#include "graph/kernel/expression.hpp"
#include "lower/lowering.hpp"

namespace eglantine::lower {

/// What parts of an attention's columns give, f32: results (heads * rows * results) and logsumexps (heads * rows), each
/// part's behind those of the part before, and the steps that merge them.
class ColumnParts {
 public:
  static ColumnParts of(Lowering& lowering, const AttentionKernel& kernel, int64_t count);

  const Strided& all_results() const { return results_; }
  const Strided& all_logsumexps() const { return logsumexps_; }
  Strided results_of(int64_t part) const;
  Strided logsumexps_of(int64_t part) const;

  /// Whether merge() can write `out`, of any storage: it is contiguous, or its last axis is a row's results.
  bool merges_into(const Strided& out) const;
  /// out = sum over the parts of w results, w = exp(logsumexp) / sum over the parts of exp(logsumexp); 0 where no part
  /// sees a column. logsumexp = log(sum over the parts of exp(logsumexp)), unless it has no buffer.
  void merge(Lowering& lowering, const Strided& out, const Strided& logsumexp) const;

 private:
  /// exp(logsumexp - base) of each part, and their sum.
  struct Weights {
    int base, total;
    std::vector<int> of_parts;
  };

  ColumnParts(const Strided& results, const Strided& logsumexps, int64_t count);
  Weights weights_of(ExpressionBuilder& builder, const std::vector<int64_t>& strides) const;
  void merge_logsumexps(Lowering& lowering, const Strided& out) const;

  Strided results_, logsumexps_;
  int64_t count_, rows_, row_results_;
};

}  // namespace eglantine::lower
