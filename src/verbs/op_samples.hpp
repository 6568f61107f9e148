#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "eglantine/own.hpp"

/// Numbers for testing users' operations: the same in every run.
namespace eglantine::verbs {

/// Pseudo-random floats, the same with every standard library, as std::mt19937's words are.
class SampleNumbers {
 public:
  /// In [low, high]; high - low may overflow f32.
  float between(float low, float high);
  /// Of either sign, with magnitudes log-uniform from 10^-6 to 10^6.
  float of_any_size();
  size_t below(size_t count) { return word_() % count; }

 private:
  std::mt19937 word_;
};

/// Arguments of an operation: columns[i] holds argument i; all have one length.
using Columns = std::vector<std::vector<float>>;

/// Throws Error, naming check_op, unless low and high are finite and low < high.
void require_range(const CheckOptions& options);

/// Zeros, ones, tiny and huge numbers, infinities and NaN in all pairs (in random combinations for more arguments),
/// then random numbers of several ranges, as far as the options allow them.
Columns sample_arguments(int arity, const CheckOptions& options);

/// Triples of finite numbers of similar magnitudes.
Columns sample_triples(const CheckOptions& options);

/// Finite numbers: special and random ones.
std::vector<float> finite_samples(const CheckOptions& options);

/// [low, high]. within() gives its intersection with the options' range, or the latter where that is empty.
struct ValueRange {
  float low, high;
};
ValueRange within(const CheckOptions& options, const ValueRange& range);

}  // namespace eglantine::verbs
