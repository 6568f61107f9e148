#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "support/array.hpp"

/// Pools as loops over the places of each window.
namespace eglantine::test::naive {

/// How windows lie along the last axes of an array.
struct PoolRule {
  Dims window, stride, dilation;
  std::vector<std::pair<int64_t, int64_t>> pads;
  bool ceil_mode = false;
};

/// What of a window lies within the array, row-major, and how many of its places lie within the padded array.
struct PoolWindow {
  std::vector<double> values{};
  std::vector<int64_t> places{};  ///< row-major over the pooled axes
  int64_t padded = 0;
};

/// Windows along an axis, counted one by one.
inline int64_t windows_along(const PoolRule& rule, size_t k, int64_t length) {
  const auto [before, after] = rule.pads[k];
  const int64_t padded = before + length + after + (rule.ceil_mode ? rule.stride[k] - 1 : 0);
  int64_t count = 0;
  for (int64_t start = 0; start + (rule.window[k] - 1) * rule.dilation[k] < padded; start += rule.stride[k])
    if (!rule.ceil_mode || start < before + length) ++count;
  return count;
}

/// The window whose number along each of the last axes is `index`'s.
inline PoolWindow window_at(const Array& x, const PoolRule& rule, const Dims& index) {
  const size_t first = x.shape.size() - rule.window.size();
  PoolWindow result;
  for_each_index(rule.window, [&](const Dims& element) {
    Dims from = index;
    int64_t place = 0;
    bool inside = true, within_padding = true;
    for (size_t k = 0; k < element.size(); ++k) {
      const int64_t length = x.shape[first + k];
      const int64_t at = index[first + k] * rule.stride[k] + element[k] * rule.dilation[k] - rule.pads[k].first;
      inside = inside && at >= 0 && at < length;
      within_padding = within_padding && at < length + rule.pads[k].second;
      place = place * length + at;
      from[first + k] = at;
    }
    if (within_padding) ++result.padded;
    if (!inside) return;
    result.values.push_back(x.at(from));
    result.places.push_back(place);
  });
  return result;
}

/// f of each window.
inline Array pool(const Array& x, const PoolRule& rule, DType result,
                  const std::function<double(const PoolWindow&)>& f) {
  Dims shape = x.shape;
  const size_t first = shape.size() - rule.window.size();
  for (size_t k = 0; k < rule.window.size(); ++k) shape[first + k] = windows_along(rule, k, shape[first + k]);
  return generate(result, shape, [&](const Dims& index) { return f(window_at(x, rule, index)); });
}

/// The place in `values` of the largest, the first of equals, the first NaN.
inline size_t place_of_largest(const std::vector<double>& values) {
  size_t best = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != values[i]) return i;
    if (values[i] > values[best]) best = i;
  }
  return best;
}

inline Array max_pool(const Array& x, const PoolRule& rule) {
  return pool(x, rule, x.dtype, [](const PoolWindow& w) { return w.values[place_of_largest(w.values)]; });
}

inline Array max_pool_indices(const Array& x, const PoolRule& rule) {
  return pool(x, rule, DType::i32,
              [](const PoolWindow& w) { return static_cast<double>(w.places[place_of_largest(w.values)]); });
}

inline Array avg_pool(const Array& x, const PoolRule& rule, bool count_padding = true) {
  return pool(x, rule, DType::f32, [&](const PoolWindow& w) {
    double total = 0;
    for (double value : w.values) total += value;
    return total / static_cast<double>(count_padding ? w.padded : static_cast<int64_t>(w.values.size()));
  });
}

/// f of the elements of `sizes` windows along the last axes, from floor(i n / s) up to ceil((i + 1) n / s).
inline Array adaptive_pool(const Array& x, const Dims& sizes, DType result,
                           const std::function<double(const std::vector<double>&)>& f) {
  Dims shape = x.shape;
  const size_t first = shape.size() - sizes.size();
  for (size_t k = 0; k < sizes.size(); ++k) shape[first + k] = sizes[k];
  const Dims spatial(x.shape.begin() + static_cast<int64_t>(first), x.shape.end());
  return generate(result, shape, [&](const Dims& index) {
    std::vector<double> values;
    for_each_index(spatial, [&](const Dims& at) {
      Dims from = index;
      for (size_t k = 0; k < sizes.size(); ++k) {
        const int64_t i = index[first + k], n = spatial[k], s = sizes[k];
        // i n / s - 1 < at < (i + 1) n / s
        if (!(at[k] * s > i * n - s && at[k] * s < (i + 1) * n)) return;
        from[first + k] = at[k];
      }
      values.push_back(x.at(from));
    });
    return f(values);
  });
}

inline double mean_of(const std::vector<double>& values) {
  double total = 0;
  for (double value : values) total += value;
  return total / static_cast<double>(values.size());
}

inline double max_of(const std::vector<double>& values) { return values[place_of_largest(values)]; }

}  // namespace eglantine::test::naive
