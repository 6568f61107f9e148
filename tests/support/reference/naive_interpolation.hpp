#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "eglantine/verbs/interpolation.hpp"
#include "support/array.hpp"

/// Interpolation as sums over the elements around each place.
namespace eglantine::test::naive {

/// Elements along one axis and their weights; an element may come more than once.
using Weighted = std::vector<std::pair<int64_t, double>>;

/// Keys' kernel at a distance.
inline double keys(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}
inline double hat(double distance) { return std::max(0.0, 1 - std::abs(distance)); }

/// What output o of s is made of, along an axis of n. scale: 0 where none is given.
inline Weighted weighted(int64_t o, int64_t n, int64_t s, double scale, const InterpolateOptions& options) {
  const double ratio = scale > 0 && !options.align_corners ? 1 / scale
                       : options.align_corners             ? (s > 1 ? (n - 1.0) / (s - 1.0) : 0)
                                                           : double(n) / double(s);
  Weighted result;
  const bool cubic = options.mode == Interpolation::cubic;
  if (options.mode == Interpolation::nearest) {
    // The last element whose first place is not behind o.
    int64_t i = 0;
    while (i + 1 < n && (scale > 0 ? double(i + 1) * scale <= double(o) : (i + 1) * s <= o * n)) ++i;
    return {{i, 1}};
  }
  if (options.antialias) {
    double total = 0;
    const double wide = std::max(1.0, ratio), centre = (double(o) + 0.5) * ratio;
    for (int64_t i = 0; i < n; ++i) {
      const double distance = (double(i) + 0.5 - centre) / wide, w = cubic ? keys(distance, -0.5) : hat(distance);
      if (w != 0) result.emplace_back(i, w);
      total += w;
    }
    for (auto& [i, w] : result) w /= total;
    return result;
  }
  const double place = options.align_corners ? double(o) * ratio : (double(o) + 0.5) * ratio - 0.5;
  for (int64_t i = 0; !cubic && i < n; ++i)
    if (const double w = hat(std::clamp(place, 0.0, n - 1.0) - double(i)); w != 0) result.emplace_back(i, w);
  const auto base = static_cast<int64_t>(std::floor(place));
  for (int64_t i = base - 1; cubic && i <= base + 2; ++i)
    result.emplace_back(std::clamp<int64_t>(i, 0, n - 1), keys(place - double(i), -0.75));
  return result;
}

/// The sum over the elements that lists for x's last axes name, at an index of the result.
inline double weighted_sum(const Array& x, Dims at, size_t axis, const std::vector<Weighted>& lists) {
  if (axis == lists.size()) return x.at(at);
  double sum = 0;
  for (const auto& [i, w] : lists[axis]) {
    at[x.shape.size() - lists.size() + axis] = i;
    sum += w * weighted_sum(x, at, axis + 1, lists);
  }
  return sum;
}

inline DType interpolated_type(DType dtype, Interpolation mode) {
  const bool kept = mode == Interpolation::nearest || dtype == DType::f16 || dtype == DType::bf16;
  return kept ? dtype : DType::f32;
}

inline Array interpolate(const Array& x, const Dims& sizes, const InterpolateOptions& options) {
  const size_t first = x.shape.size() - sizes.size();
  Dims shape(x.shape.begin(), x.shape.begin() + static_cast<int64_t>(first));
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return generate(interpolated_type(x.dtype, options.mode), shape, [&](const Dims& at) {
    std::vector<Weighted> lists;
    for (size_t k = 0; k < sizes.size(); ++k)
      lists.push_back(
          weighted(at[first + k], x.shape[first + k], sizes[k], options.scale.empty() ? 0 : options.scale[k], options));
    return weighted_sum(x, at, 0, lists);
  });
}

/// A place of an axis of n that is mirrored at its ends: at the outer edges of its end elements, or their centres.
inline double mirrored(double place, int64_t n, bool corners) {
  const double low = corners ? 0 : -0.5, high = corners ? double(n) - 1 : double(n) - 0.5;
  if (high <= low) return 0;
  while (place < low || place > high) place = place < low ? 2 * low - place : 2 * high - place;
  return place;
}

/// What the coordinate g reads along an axis of n.
inline Weighted sampled(double g, int64_t n, const GridOptions& options) {
  const bool corners = options.align_corners, cubic = options.mode == Interpolation::cubic;
  double place = corners ? (g + 1) / 2 * double(n - 1) : ((g + 1) * double(n) - 1) / 2;
  const auto kept = [&](double at) {
    if (options.padding == PadMode::reflect) at = mirrored(at, n, corners);
    const bool ends = options.padding == PadMode::reflect || options.padding == PadMode::edge;
    return ends ? std::clamp(at, 0.0, double(n) - 1) : at;
  };
  if (!cubic) place = kept(place);
  Weighted result;
  const auto add = [&](int64_t i, double w) {
    if (cubic) i = static_cast<int64_t>(kept(double(i)));
    if (options.padding == PadMode::wrap) i = (i % n + n) % n;
    if (w != 0 && i >= 0 && i < n) result.emplace_back(i, w);
  };
  if (options.mode == Interpolation::nearest) {
    add(static_cast<int64_t>(std::nearbyint(place)), 1);
    return result;
  }
  const auto base = static_cast<int64_t>(std::floor(place));
  for (int64_t i = base - (cubic ? 1 : 0); i <= base + (cubic ? 2 : 1); ++i)
    add(i, cubic ? keys(place - double(i), -0.75) : hat(place - double(i)));
  return result;
}

inline Array grid_sample(const Array& x, const Array& grid, const GridOptions& options) {
  const size_t axes = x.shape.size() - 2;
  Dims shape{x.shape[0], x.shape[1]};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  return generate(interpolated_type(x.dtype, options.mode), shape, [&](const Dims& at) {
    std::vector<Weighted> lists;
    for (size_t k = 0; k < axes; ++k) {
      Dims place{at[0]};
      place.insert(place.end(), at.begin() + 2, at.end());
      place.push_back(static_cast<int64_t>(axes - 1 - k));
      lists.push_back(sampled(grid.at(place), x.shape[2 + k], options));
    }
    return weighted_sum(x, at, 0, lists);
  });
}

}  // namespace eglantine::test::naive
