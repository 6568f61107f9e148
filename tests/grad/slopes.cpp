#include "grad/slopes.hpp"

#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

using Line = std::function<double(double t)>;

/// The slope of a line at 0, extrapolated from central differences over h and h / 2. NaN where it is not smooth: where
/// these disagree, or where the slopes on both sides of 0 do, by what of their difference does not shrink with h.
double slope_at_zero(const Line& line, double h) {
  struct Differences {
    double central, sides;
  };
  const double here = line(0);
  const auto over = [&](double step) -> Differences {
    const double above = line(step), below = line(-step);
    return {(above - below) / (2 * step), (above - 2 * here + below) / step};
  };
  const Differences coarse = over(h), fine = over(h / 2);
  const double tolerated = 1e-4 * std::max(1.0, std::abs(fine.central));
  const bool smooth =
      std::abs(coarse.central - fine.central) <= tolerated && std::abs(2 * fine.sides - coarse.sides) <= tolerated;
  return smooth ? (4 * fine.central - coarse.central) / 3 : std::nan("");
}

double weighted_sum(const Array& a, const Array& b) {
  double total = 0;
  for (size_t i = 0; i < a.values.size(); ++i) total += a.values[i] * b.values[i];
  return total;
}

Array drawn_like(const Array& x, uint64_t seed) { return random_reals(x.shape, -1, 1, seed); }

Arrays directions_like(const Arrays& x) {
  Arrays u;
  for (const Array& each : x) u.push_back(drawn_like(each, 78 + u.size()));
  return u;
}

Arrays arrays_of(const std::vector<Sample>& x) {
  Arrays arrays;
  for (const Sample& each : x) arrays.push_back(each.array);
  return arrays;
}

Tensors tensors_of(const std::vector<Sample>& x) {
  Tensors tensors;
  for (const Sample& each : x) tensors.push_back(each.tensor);
  return tensors;
}

Arrays moved(Arrays x, const Arrays& u, double t) {
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t k = 0; k < x[i].values.size(); ++k) x[i].values[k] += t * u[i].values[k];
  return x;
}

::testing::AssertionResult all_near(const Tensors& found, const Arrays& wanted, double relative) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    double largest = 0;
    for (const double v : wanted[i].values) largest = std::max(largest, std::abs(v));
    const auto result = matches(found[i], wanted[i], {0, 0, relative * std::max(largest, 0.1)});
    if (!result) return ::testing::AssertionFailure() << "by argument " << i << ": " << result.message();
  }
  return ::testing::AssertionSuccess();
}

bool has_kink(const Arrays& slopes) {
  for (const Array& each : slopes)
    for (const double v : each.values)
      if (std::isnan(v)) return true;
  return false;
}

/// NaN by every element where the slope in a drawn direction is not theirs: at elements that tie the sum may have a
/// slope by each of them alone, and yet none.
Arrays slopes_of_sum(const Referenced& of, const Arrays& x, const Array& weights) {
  const auto number = [&](const Arrays& at) { return weighted_sum(of.reference(at), weights); };
  Arrays slopes = slopes_of(number, x, 1e-4);
  const Arrays u = directions_like(x);
  const double along = slope_at_zero([&](double t) { return number(moved(x, u, t)); }, 1e-4);
  double wanted = 0;
  for (size_t i = 0; i < x.size(); ++i) wanted += weighted_sum(slopes[i], u[i]);
  if (!(std::abs(along - wanted) <= 1e-4 * std::max(1.0, std::abs(wanted))))
    for (Array& each : slopes) std::fill(each.values.begin(), each.values.end(), std::nan(""));
  return slopes;
}

/// Of the slope of the sum in the directions u.
Arrays slopes_of_slope(const Referenced& of, const Arrays& x, const Array& weights, const Arrays& u) {
  const auto slope = [&](const Arrays& at) {
    const auto along = [&](double t) { return weighted_sum(of.reference(moved(at, u, t)), weights); };
    return slope_at_zero(along, 1e-3);
  };
  return slopes_of(slope, x, 1e-3);
}

::testing::AssertionResult or_kink(const Comparison& comparison) {
  return comparison ? *comparison : ::testing::AssertionFailure() << "the reference has a kink";
}

}  // namespace

std::vector<Array> slopes_of(const std::function<double(const Arrays&)>& number, const Arrays& x, double h) {
  std::vector<Array> slopes = x;
  Arrays at = x;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t k = 0; k < x[i].values.size(); ++k) {
      const double here = x[i].values[k];
      const auto line = [&](double t) {
        at[i].values[k] = here + t;
        return number(at);
      };
      slopes[i].values[k] = slope_at_zero(line, h);
      at[i].values[k] = here;
    }
  return slopes;
}

Comparison compared_slopes(const Referenced& of, const std::vector<Sample>& x, double relative) {
  const Array y = of.reference(arrays_of(x)), weights = drawn_like(y, 77);
  const Arrays wanted = slopes_of_sum(of, arrays_of(x), weights);
  if (has_kink(wanted)) return std::nullopt;
  const auto [value, found] =
      vjp([&](const Tensors& at) { return Tensors{of.f(at)}; }, tensors_of(x), {upload(weights)});
  if (const auto same = matches(value[0], y, {0, 1e-5, 1e-5}); !same) return same;
  return all_near(found, wanted, relative);
}

bool is_smooth(const Referenced& of, const std::vector<Sample>& x) {
  const Arrays arrays = arrays_of(x);
  return !has_kink(slopes_of_sum(of, arrays, drawn_like(of.reference(arrays), 77)));
}

Comparison compared_curvatures(const Referenced& of, const std::vector<Sample>& x, double relative) {
  const Arrays arrays = arrays_of(x);
  const Array weights = drawn_like(of.reference(arrays), 77);
  const Arrays u = directions_like(arrays);
  const Arrays wanted = slopes_of_slope(of, arrays, weights, u);
  if (has_kink(wanted)) return std::nullopt;
  const auto slope = [&](const Tensors& at) {
    const Tensors slopes = vjp([&](const Tensors& y) { return Tensors{of.f(y)}; }, at, {upload(weights)}).second;
    Tensor total = sum(slopes[0] * upload(u[0]));
    for (size_t i = 1; i < u.size(); ++i) total = total + sum(slopes[i] * upload(u[i]));
    return total;
  };
  return all_near(grad(slope, tensors_of(x)), wanted, relative);
}

::testing::AssertionResult has_slopes_of_reference(const Referenced& of, const std::vector<Sample>& x,
                                                   double relative) {
  return or_kink(compared_slopes(of, x, relative));
}

::testing::AssertionResult has_curvatures_of_reference(const Referenced& of, const std::vector<Sample>& x,
                                                       double relative) {
  return or_kink(compared_curvatures(of, x, relative));
}

}  // namespace eglantine::test
