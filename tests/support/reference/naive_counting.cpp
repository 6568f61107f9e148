#include "support/reference/naive_counting.hpp"

#include <algorithm>
#include <cmath>

namespace eglantine::test::naive {
namespace {

/// In the order of sort(): NaN after all numbers.
bool before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
bool same(double a, double b) { return !before(a, b) && !before(b, a); }

int64_t length_for(const Array& x, int64_t minlength) {
  for (double value : x.values) minlength = std::max(minlength, static_cast<int64_t>(value) + 1);
  return minlength;
}

}  // namespace

Array searchsorted(const Array& sorted, const Array& values, bool right) {
  const int64_t length = sorted.shape.back();
  return generate(DType::i32, values.shape, [&](const Dims& place) {
    Dims at = place;
    if (sorted.rank() == 1) at = {0};
    int64_t count = 0;
    for (at.back() = 0; at.back() < length; ++at.back()) {
      const double element = sorted.at(at), value = values.at(place);
      if (right ? !before(value, element) : before(element, value)) ++count;
    }
    return static_cast<double>(count);
  });
}

Array bincount(const Array& x, int64_t minlength) {
  Array ones = x;
  for (double& value : ones.values) value = 1;
  Array result = bincount(x, ones, minlength);
  result.dtype = DType::i32;
  return result;
}

Array bincount(const Array& x, const Array& weights, int64_t minlength) {
  const int64_t length = length_for(x, minlength);
  Array result{DType::f32, {length}, std::vector<double>(static_cast<size_t>(length), 0)};
  for (size_t i = 0; i < x.values.size(); ++i) result.values[static_cast<size_t>(x.values[i])] += weights.values[i];
  return result;
}

Array histogram(const Array& x, const Array& edges) {
  const size_t bins = edges.values.size() - 1;
  Array result{DType::i32, {static_cast<int64_t>(bins)}, std::vector<double>(bins, 0)};
  for (double value : x.values)
    for (size_t i = 0; i < bins; ++i)
      if (value >= edges.values[i] && (value < edges.values[i + 1] || (i + 1 == bins && value == edges.values[i + 1])))
        ++result.values[i];
  return result;
}

Unique unique_all(const Array& x) {
  Unique result{{x.dtype, {0}, {}}, {DType::i32, {0}, {}}, {DType::i32, x.shape, {}}, {DType::i32, {0}, {}}};
  std::vector<std::pair<double, int64_t>> order;
  for (int64_t i = 0; i < x.size(); ++i) order.emplace_back(x.values[static_cast<size_t>(i)], i);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return before(a.first, b.first); });
  result.inverse.values.resize(x.values.size());
  for (const auto& [value, place] : order) {
    if (result.values.values.empty() || !same(value, result.values.values.back())) {
      result.values.values.push_back(value);
      result.indices.values.push_back(static_cast<double>(place));
      result.counts.values.push_back(0);
    }
    ++result.counts.values.back();
    result.inverse.values[static_cast<size_t>(place)] = static_cast<double>(result.values.values.size() - 1);
  }
  for (Array* each : {&result.values, &result.indices, &result.counts}) each->shape = {each->size()};
  return result;
}

}  // namespace eglantine::test::naive
