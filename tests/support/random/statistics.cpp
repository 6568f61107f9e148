#include "support/random/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace eglantine::test {

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = moments(a).mean, mean_b = moments(b).mean;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] - mean_a, y = b[i] - mean_b;
    ab += x * y, aa += x * x, bb += y * y;
  }
  return ab / std::sqrt(aa * bb) * std::sqrt(static_cast<double>(a.size()));
}

double lagged_correlation(const std::vector<double>& x, size_t lag) {
  const auto gap = static_cast<std::ptrdiff_t>(lag);
  return correlation({x.begin(), x.end() - gap}, {x.begin() + gap, x.end()});
}

double distance(std::vector<double> values, const std::function<double(double)>& distribution) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double most = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = distribution(values[i]), before = static_cast<double>(i) / n;
    // Written so that a NaN counts.
    const double gap = std::max(expected - before, before + 1 / n - expected);
    if (!(gap <= most)) most = std::isnan(gap) ? INFINITY : gap;
  }
  return most * std::sqrt(n);
}

double chi_square(const std::vector<int64_t>& counts, const std::vector<double>& probabilities) {
  int64_t total = 0;
  for (int64_t count : counts) total += count;
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double expected = static_cast<double>(total) * probabilities[i];
    sum += std::pow(static_cast<double>(counts[i]) - expected, 2) / expected;
  }
  const double spread = 2 / (9.0 * (static_cast<double>(counts.size()) - 1));
  return (std::cbrt(sum / (static_cast<double>(counts.size()) - 1)) - (1 - spread)) / std::sqrt(spread);
}

double chi_square_of_pairs(const std::vector<double>& x, size_t lag, size_t cells) {
  std::vector<int64_t> counts(cells * cells, 0);
  const auto cell = [&](double value) { return static_cast<size_t>(value * static_cast<double>(cells)); };
  for (size_t first = 0; first + 2 * lag <= x.size(); first += 2 * lag)
    for (size_t i = first; i < first + lag; ++i) ++counts.at(cell(x[i]) * cells + cell(x[i + lag]));
  return chi_square(counts, std::vector<double>(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

Moments moments(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  Moments result;
  for (double value : x) result.mean += value / n;
  double cubes = 0;
  for (double value : x) {
    result.variance += std::pow(value - result.mean, 2) / n;
    cubes += std::pow(value - result.mean, 3) / n;
  }
  result.skewness = cubes / std::pow(result.variance, 1.5);
  return result;
}

}  // namespace eglantine::test
