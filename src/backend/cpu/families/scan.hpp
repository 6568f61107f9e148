#pragma once

#include <limits>
#include <vector>

#include "backend/cpu/instructions/block_ops.hpp"
#include "backend/cpu/instructions/evaluator.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::cpu {

/// Totals of scans side by side, as digits: digit d sums up to `radix` sums of radix^d steps: error O(log steps). What
/// combines without an error, in any grouping, has one digit.
class PrefixCounter {
 public:
  static constexpr int64_t radix = 16;

  PrefixCounter(const ReductionBlocks& combine, int64_t width, bool exact);

  void start(const Word* carry);  ///< clears; prefixes start from `carry` (width values), or from the identity if null
  /// Steps left in the current run, the lowest digit: >= 1.
  int64_t space() const { return exact_ ? std::numeric_limits<int64_t>::max() : radix - steps_ % radix; }
  const Word* base() const { return base_.data(); }  ///< the prefix before the current run
  /// The current run: the caller combines the next `count` <= space() steps into it, then calls advance(count).
  Word* run() { return digits_.data(); }
  void advance(int64_t count);
  void add(const Word* value);   ///< one step: the caller's own sum
  void total(Word* out) const;   ///< of all steps, without the carry
  void prefix(Word* out) const;  ///< total() after the carry

 private:
  static constexpr int64_t most_digits = 16;
  Word* digit(int64_t number) { return digits_.data() + number * width_; }
  const Word* digit(int64_t number) const { return digits_.data() + number * width_; }
  void renew_base();

  const ReductionBlocks& combine_;
  int64_t width_;
  bool exact_;
  int64_t steps_ = 0, digits_used_ = 1;
  Words digits_, carry_, base_;
};

}  // namespace eglantine::cpu
