#pragma once

#include <cstdint>
#include <functional>
#include <vector>

/// Tests of random numbers. Each gives a number of deviations, or nearly, of what numbers of the distribution would
/// give: beyond `unlikely` one in some 10^6 does so. Seeds are fixed, so a test that passes keeps passing.
namespace eglantine::test {

inline constexpr double unlikely = 5;

/// Pearson's correlation, in deviations (1 / sqrt(count)) from 0.
double correlation(const std::vector<double>& a, const std::vector<double>& b);

/// Of elements with those `lag` later.
double lagged_correlation(const std::vector<double>& x, size_t lag);

/// Kolmogorov's and Smirnov's sqrt(n) times the largest distance from a distribution function. Beyond 2.69 one
/// in 10^6.
double distance(std::vector<double> values, const std::function<double(double)>& distribution);
inline constexpr double unlikely_distance = 2.69;

/// Pearson's sum of counts against probabilities, in its deviations from its mean, as a normal number (Wilson and
/// Hilferty).
double chi_square(const std::vector<int64_t>& counts, const std::vector<double>& probabilities);

/// The same of pairs (x[i], x[i + lag]), each number in [0, 1) cut into `cells`, all pairs of cells alike probable.
/// Takes each number once.
double chi_square_of_pairs(const std::vector<double>& x, size_t lag, size_t cells);

struct Moments {
  double mean = 0, variance = 0, skewness = 0;
};
Moments moments(const std::vector<double>& x);

}  // namespace eglantine::test
