#include "verbs/network/resampling/resampling.hpp"

#include <algorithm>
#include <cmath>

namespace eglantine::verbs {

namespace {

/// Keys' kernel at distance x, with the coefficient a: 1 at 0, 0 at other whole numbers and from 2 on.
double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

Taps1d taps_for(const Resampling& axis, int64_t taps) {
  return {.axis = axis.axis,
          .length = axis.length,
          .outputs = axis.outputs,
          .taps = taps,
          .scale = axis.scale,
          .firsts = std::vector<int32_t>(static_cast<size_t>(axis.outputs)),
          .weights = std::vector<float>(static_cast<size_t>(taps * axis.outputs))};
}

void set_first(Taps1d& taps, int64_t o, int64_t first) {
  taps.firsts[static_cast<size_t>(o)] = static_cast<int32_t>(first);
}

void set_weight(Taps1d& taps, int64_t o, int64_t k, double weight) {
  taps.weights[static_cast<size_t>(k * taps.outputs + o)] = static_cast<float>(weight);
}

Taps1d nearest_taps(const Resampling& axis) {
  Taps1d taps = taps_for(axis, 1);
  taps.weights.clear();
  for (int64_t o = 0; o < axis.outputs; ++o) {
    const int64_t place = axis.scale ? static_cast<int64_t>(std::min(std::floor(static_cast<double>(o) / *axis.scale),
                                                                     static_cast<double>(axis.length)))
                                     : o * axis.length / axis.outputs;
    set_first(taps, o, std::min(place, axis.length - 1));
  }
  return taps;
}

/// The place of output o, from -0.5 to the axis's end or, by an odd scale, past it.
double place_of(const Resampling& axis, double step, bool align_corners, int64_t o) {
  const auto place = static_cast<double>(o);
  return std::min(align_corners ? place * step : (place + 0.5) * step - 0.5, static_cast<double>(axis.length));
}

Taps1d linear_taps(const Resampling& axis, bool align_corners) {
  Taps1d taps = taps_for(axis, 2);
  const double step = axis.step(align_corners);
  for (int64_t o = 0; o < axis.outputs; ++o) {
    const double place = std::max(0.0, place_of(axis, step, align_corners, o));
    const int64_t first = std::min(static_cast<int64_t>(place), axis.length - 1);
    const double t = std::min(1.0, place - static_cast<double>(first));
    set_first(taps, o, first);
    set_weight(taps, o, 0, 1 - t);
    set_weight(taps, o, 1, t);
  }
  taps.are_neighbours = true;
  return taps;
}

Taps1d cubic_taps(const Resampling& axis, bool align_corners) {
  Taps1d taps = taps_for(axis, 4);
  const double step = axis.step(align_corners);
  for (int64_t o = 0; o < axis.outputs; ++o) {
    const double place = place_of(axis, step, align_corners, o), floor = std::floor(place);
    set_first(taps, o, static_cast<int64_t>(floor) - 1);
    for (int64_t k = 0; k < 4; ++k) set_weight(taps, o, k, cubic(place - floor - static_cast<double>(k - 1), -0.75));
  }
  taps.end = Taps1d::End::clamped;
  return taps;
}

/// The elements that output o covers, from `first` on, and their weights.
struct Covered {
  int64_t first = 0;
  std::vector<double> weights{};
};

/// As PyTorch and Pillow do: elements whose centres lie within the filter's reach, weights that add up to 1.
Covered covered_by(const Resampling& axis, double step, bool is_cubic, int64_t o) {
  const double wider = std::max(step, 1.0), reach = (is_cubic ? 2 : 1) * wider;
  const double centre = step * (static_cast<double>(o) + 0.5), length = static_cast<double>(axis.length);
  const auto within = [&](double place) { return static_cast<int64_t>(std::clamp(place, 0.0, length)); };
  Covered covered{within(centre - reach + 0.5)};
  const int64_t end = within(centre + reach + 0.5);
  double total = 0;
  for (int64_t i = covered.first; i < end; ++i) {
    const double distance = (static_cast<double>(i) - centre + 0.5) / wider;
    covered.weights.push_back(is_cubic ? cubic(distance, -0.5) : triangle(distance));
    total += covered.weights.back();
  }
  for (double& weight : covered.weights) weight = total != 0 ? weight / total : 0;
  return covered;
}

/// Outputs that cover fewer elements than others take halves of their last one: a weight of 0 would make NaN of an
/// infinity elsewhere.
Taps1d antialiased_taps(const Resampling& axis, const InterpolateOptions& options) {
  const double step = axis.step(options.align_corners);
  std::vector<Covered> all;
  size_t most = 1;
  for (int64_t o = 0; o < axis.outputs; ++o) {
    all.push_back(covered_by(axis, step, options.mode == Interpolation::cubic, o));
    most = std::max(most, all.back().weights.size());
  }
  Taps1d taps = taps_for(axis, static_cast<int64_t>(most));
  taps.end = Taps1d::End::of_each;
  taps.lasts.resize(taps.firsts.size());
  for (int64_t o = 0; o < axis.outputs; ++o) {
    Covered& covered = all[static_cast<size_t>(o)];
    if (covered.weights.empty()) covered = {std::min(covered.first, axis.length - 1), {0}};
    set_first(taps, o, covered.first);
    taps.lasts[static_cast<size_t>(o)] = static_cast<int32_t>(covered.first + std::ssize(covered.weights) - 1);
    while (covered.weights.size() < most) {
      covered.weights.back() /= 2;
      covered.weights.push_back(covered.weights.back());
    }
    for (int64_t k = 0; k < taps.taps; ++k) set_weight(taps, o, k, covered.weights[static_cast<size_t>(k)]);
  }
  return taps;
}

}  // namespace

double Resampling::step(bool align_corners) const {
  if (align_corners) return outputs > 1 ? static_cast<double>(length - 1) / static_cast<double>(outputs - 1) : 0;
  return scale ? 1 / *scale : static_cast<double>(length) / static_cast<double>(outputs);
}

Taps1d taps_of(const Resampling& axis, const InterpolateOptions& options) {
  if (options.mode == Interpolation::nearest) return nearest_taps(axis);
  if (options.antialias) return antialiased_taps(axis, options);
  return options.mode == Interpolation::cubic ? cubic_taps(axis, options.align_corners)
                                              : linear_taps(axis, options.align_corners);
}

Taps1d outline_of(const Resampling& axis, const InterpolateOptions& options) {
  if (options.antialias) return taps_of(axis, options);
  const bool is_linear = options.mode == Interpolation::linear, is_cubic = options.mode == Interpolation::cubic;
  return {.axis = axis.axis,
          .length = axis.length,
          .outputs = axis.outputs,
          .taps = is_linear  ? 2
                  : is_cubic ? 4
                             : 1,
          .scale = axis.scale,
          .are_neighbours = is_linear,
          .end = is_cubic ? Taps1d::End::clamped : Taps1d::End::behind};
}

Taps1d with_tables(const Taps1d& outline, const InterpolateOptions& options) {
  return taps_of({outline.axis, outline.length, outline.outputs, outline.scale}, options);
}

}  // namespace eglantine::verbs
