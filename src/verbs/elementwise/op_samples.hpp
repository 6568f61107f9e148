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
  float between(float low, float high);  ///< in [low, high]; high - low may overflow f32
  float of_any_size();                   ///< of either sign, with magnitudes log-uniform from 10^-6 to 10^6
  size_t below(size_t count) { return word_() % count; }

 private:
  std::mt19937 word_;
};

/// Arguments of an operation: columns[i] holds argument i; all have one length.
using Columns = std::vector<std::vector<float>>;

void require_range(const CheckOptions& options);  ///< Error, naming check_op, unless low < high, both finite

/// Zeros, ones, tiny and huge numbers, infinities and NaN in all pairs (in random combinations for more arguments),
/// then random numbers of several ranges, as far as the options allow them.
Columns sample_arguments(int arity, const CheckOptions& options);

Columns sample_triples(const CheckOptions& options);  ///< of finite numbers of similar magnitudes

std::vector<float> finite_samples(const CheckOptions& options);  ///< special and random ones

/// [low, high]. within() gives its intersection with the options' range, or the latter where that is empty.
struct ValueRange {
  float low, high;
};
ValueRange within(const CheckOptions& options, const ValueRange& range);

}  // namespace eglantine::verbs
