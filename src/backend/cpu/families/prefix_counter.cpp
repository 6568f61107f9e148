#include <algorithm>

#include "backend/cpu/families/scan.hpp"

namespace eglantine::cpu {

PrefixCounter::PrefixCounter(const ReductionBlocks& combine, int64_t width, bool exact)
    : combine_(combine), width_(width), exact_(exact), digits_(most_digits * width), carry_(width), base_(width) {}

void PrefixCounter::start(const Word* carry) {
  carry != nullptr ? std::copy_n(carry, width_, carry_.data()) : std::fill_n(carry_.data(), width_, combine_.identity);
  std::fill_n(digits_.data(), width_, combine_.identity);
  steps_ = 0;
  digits_used_ = 1;
  renew_base();
}

void PrefixCounter::advance(int64_t count) {
  steps_ += count;
  if (exact_ || steps_ % radix != 0) return;
  int64_t full = 0;
  for (int64_t rest = steps_; rest % radix == 0; rest /= radix, ++full) {
    if (full + 1 == digits_used_) std::fill_n(digit(digits_used_++), width_, combine_.identity);
    combine_.accumulate(digit(full + 1), digit(full), width_);
    std::fill_n(digit(full), width_, combine_.identity);
  }
  renew_base();
}

void PrefixCounter::add(const Word* value) {
  combine_.accumulate(run(), value, width_);
  advance(1);
}

void PrefixCounter::renew_base() {
  std::copy_n(carry_.data(), width_, base_.data());
  for (int64_t i = digits_used_ - 1; i > 0; --i) combine_.accumulate(base_.data(), digit(i), width_);
}

void PrefixCounter::total(Word* out) const {
  std::copy_n(digit(digits_used_ - 1), width_, out);
  for (int64_t i = digits_used_ - 2; i >= 0; --i) combine_.accumulate(out, digit(i), width_);
}

void PrefixCounter::prefix(Word* out) const {
  std::copy_n(base_.data(), width_, out);
  combine_.accumulate(out, digits_.data(), width_);
}

}  // namespace eglantine::cpu
