#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace eglantine::perf::drawn {

/// Random whole numbers by splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
/// Integer arithmetic alone: the same numbers on every machine, which the distributions of <random> do not promise.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// 0 <= number < count.
  int64_t below(int64_t count) { return static_cast<int64_t>(next() % static_cast<uint64_t>(count)); }
  /// low <= number <= high.
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool one_in(int64_t count) { return below(count) == 0; }
  /// Log-uniform by octaves: each power of two from 1 <= low to high is equally likely, within one the numbers are.
  int64_t log_between(int64_t low, int64_t high) {
    const auto octave = [](int64_t number) { return std::bit_width(static_cast<uint64_t>(number)) - 1; };
    const int64_t base = int64_t{1} << between(octave(low), octave(high));
    const int64_t number = base + below(base);
    return number < low ? low : number > high ? high : number;
  }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[below(static_cast<int64_t>(choices.size()))];
  }
  template <class T, size_t count>
  const T& of(const T (&choices)[count]) {
    return choices[below(static_cast<int64_t>(count))];
  }

 private:
  uint64_t state_;
};

}  // namespace eglantine::perf::drawn
