#pragma once

#include <vector>

#include "backend/cpu/instructions/block_ops.hpp"
#include "backend/cpu/instructions/evaluator.hpp"
#include "graph/kernel.hpp"

/// Prefixes on the CPU: what they are made of.
namespace eglantine::cpu {

/// What has been combined so far, for several scans side by side, as the digits of a counter: digit d holds up to
/// `radix` sums of radix^d steps. A long scan is made of short sums that way, and its error grows with the logarithm of
/// its length.
class PrefixCounter {
 public:
  static constexpr int64_t radix = 16;

  PrefixCounter(const ReductionBlocks& combine, int64_t width);

  /// Starts with nothing combined, after `carry` (width values), or after nothing at all.
  void start(const Word* carry);
  /// Steps that the current run, the lowest digit, still takes: at least 1.
  int64_t space() const { return radix - steps_ % radix; }
  /// What comes before the current run.
  const Word* base() const { return base_.data(); }
  /// The current run: the caller combines the next `count` <= room() steps into it, then says so.
  Word* run() { return digits_.data(); }
  void advance(int64_t count);
  /// One step: a sum of the caller's.
  void add(const Word* value);
  /// All steps together, without the carry.
  void total(Word* out) const;
  /// All steps together, after the carry.
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
