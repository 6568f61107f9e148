#pragma once

#include <vector>

#include "backend/cpu/instructions/block_ops.hpp"
#include "backend/cpu/instructions/evaluator.hpp"
#include "graph/kernel.hpp"

/// Prefix sums on the CPU.
namespace eglantine::cpu {

/// The running totals of several scans side by side, as the digits of a counter: digit d holds the sum of up to `radix`
/// sums of radix^d steps. Long scans are thus made of short sums; their error grows with the logarithm of the length.
class PrefixCounter {
 public:
  static constexpr int64_t radix = 16;

  PrefixCounter(const ReductionBlocks& combine, int64_t width);

  /// Clears the counter. Prefixes start from `carry` (width values), or from the identity if null.
  void start(const Word* carry);
  /// Steps that still fit in the current run, the lowest digit: at least 1.
  int64_t space() const { return radix - steps_ % radix; }
  /// The prefix before the current run.
  const Word* base() const { return base_.data(); }
  /// The current run: the caller combines the next `count` <= space() steps into it, then calls advance(count).
  Word* run() { return digits_.data(); }
  void advance(int64_t count);
  /// Adds one step: the caller's own sum.
  void add(const Word* value);
  /// The total of all steps, without the carry.
  void total(Word* out) const;
  /// The total of all steps, after the carry.
  void prefix(Word* out) const;

 private:
  static constexpr int64_t most_digits = 16;
  Word* digit(int64_t number) { return digits_.data() + number * width_; }
  const Word* digit(int64_t number) const { return digits_.data() + number * width_; }
  void renew_base();

  const ReductionBlocks& combine_;
  int64_t width_;
  int64_t steps_ = 0, digits_used_ = 1;
  Words digits_, carry_, base_;
};

}  // namespace eglantine::cpu
