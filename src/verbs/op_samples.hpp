#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "eglantine/own.hpp"

/// Numbers to try users' operations on: the same in every run.
namespace eglantine::verbs {

/// Pseudo-random floats; std::mt19937's words are the same with every standard library, and so are these.
class SampleNumbers {
 public:
  /// In [low, high], whose distance may pass f32.
  float between(float low, float high);
  /// Of either sign, evenly spread by magnitude from 10^-6 to 10^6.
  float of_any_size();
  size_t below(size_t count) { return word_() % count; }

 private:
  std::mt19937 word_;
};

/// Arguments of an operation: columns[i] holds argument i, all of one length.
using Columns = std::vector<std::vector<float>>;

/// Throws Error, naming check_op, unless the options hold a range: two finite numbers, the lower one first.
void require_range(const CheckOptions& options);

/// Zeros, ones, tiny and huge numbers, infinities and NaN in all pairs (in a random choice of combinations for more
/// arguments), then random numbers of several ranges; as far as the options want them.
Columns sample_arguments(int arity, const CheckOptions& options);

/// Three numbers that are finite and not far apart in size, again and again.
Columns sample_triples(const CheckOptions& options);

/// Finite numbers: special and random ones.
std::vector<float> finite_samples(const CheckOptions& options);

/// From `low` to `high`, as far as that is in the options' range; else of the whole range.
struct ValueRange {
  float low, high;
};
ValueRange within(const CheckOptions& options, const ValueRange& range);

}  // namespace eglantine::verbs
