#pragma once

#include <cstdint>
#include <random>
#include <vector>

/// Numbers to try users' operations on: the same in every run.
namespace eglantine::verbs {

/// Pseudo-random floats; std::mt19937's words are the same with every standard library, and so are these.
class Numbers {
 public:
  /// In [low, high).
  float between(float low, float high);
  /// Of either sign, evenly spread by magnitude from 10^-6 to 10^6.
  float of_any_size();
  size_t below(size_t count) { return word_() % count; }

 private:
  std::mt19937 word_;
};

/// Arguments of an operation: columns[i] holds argument i, all of one length.
using Columns = std::vector<std::vector<float>>;

/// Zeros, ones, tiny and huge numbers, infinities and NaN in all pairs (in a random choice of combinations for more
/// arguments), then random numbers of several ranges.
Columns sample_arguments(int arity);

/// Three numbers that are finite and not far apart in size, again and again.
Columns sample_triples();

/// Finite numbers: special and random ones.
std::vector<float> finite_samples();

}  // namespace eglantine::verbs
