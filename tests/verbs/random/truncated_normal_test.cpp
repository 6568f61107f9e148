#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/statistics.hpp"
#include "support/reference/reference_math.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, TruncatedNormal);
EG_ON_EACH_DEVICE(Random, TruncatedNormals);

using Real = long double;

/// P(X > x) of a standard normal X.
Real above(Real x) { return std::erfc(x / std::sqrt(Real{2})) / 2; }

/// The share of the interval's probability that lies below x, counted from the end nearer to 0.
struct Interval {
  double low, high;
  Real below(Real x) const {
    if (low < 0 && high > 0) return (above(-x) - above(-low)) / (above(-high) - above(-low));
    return low >= 0 ? (above(low) - above(x)) / (above(low) - above(high))
                    : 1 - (above(-high) - above(-x)) / (above(-high) - above(-low));
  }
  Real width() const { return above(low) - above(high); }
  /// The number below which a share u of the probability lies, by bisection. 1 - u is as exact as u.
  double at(Real u, Real v) const {
    Real from = std::max(low, -150.0), to = std::min(high, 150.0);
    const Real left = above(-low), right = above(high);
    for (int i = 0; i < 70; ++i) {
      const Real x = (from + to) / 2;
      // Compared in the tail that x lies in.
      const bool is_below =
          x < 0 ? above(-x) < left + u * (above(-high) - left) : above(x) > right + v * (above(low) - right);
      (is_below ? from : to) = x;
    }
    return static_cast<double>(from);
  }
};

std::vector<Interval> intervals() {
  std::vector<Interval> all = {{-1, 1},
                               {-infinity, infinity},
                               {0, 0.001},
                               {-0.25, 3},
                               {2, 3},
                               {0, infinity},
                               {5, infinity},
                               {-infinity, -8},
                               {9.75, 10.0625},
                               {10, 11},
                               {12, infinity},
                               {-41, -40},
                               {100, infinity},
                               {-infinity, 2},
                               {9.96875, infinity},
                               {30, 30.5},
                               {-11, -10},
                               {-3, -2.875},
                               {-infinity, -10},
                               {10, 10.5}};
  return all;
}

std::string text_of(const Interval& i) { return std::to_string(i.low) + " " + std::to_string(i.high); }

EG_TEST(TruncatedNormal, each_number_is_the_inverse_of_its_word) {
  constexpr int64_t count = 300;
  for (const Interval& interval : intervals()) {
    uint32_t element = 0;
    const Array expected = generate(DType::f32, {count}, [&](const Dims&) {
      const Real word = reference::philox_truncated(element++, 3, 0);
      const Real u = (word + 0.5L) * 0x1p-32L;
      // Far in the right tail the words count from its nearer end, as everywhere; in the left one from the other side.
      return interval.high <= -10 ? interval.at(1 - u, u) : interval.at(u, 1 - u);
    });
    EXPECT_TRUE(matches(truncated_normal(interval.low, interval.high, {count}, 3), expected, {0, 2e-6, 2e-6}))
        << text_of(interval);
  }
}

EG_TEST(TruncatedNormals, have_their_distribution_within_their_bounds) {
  constexpr int64_t count = 20000;
  for (const Interval& interval : intervals()) {
    const std::vector<double> x = download(truncated_normal(interval.low, interval.high, {count}, 4)).values;
    for (double value : x) ASSERT_TRUE(value >= interval.low && value <= interval.high) << text_of(interval);
    const auto below = [&](double value) { return static_cast<double>(interval.below(value)); };
    EXPECT_LT(distance(x, below), unlikely_distance) << text_of(interval);
    for (size_t lag : {1, 2, 4}) EXPECT_LT(std::abs(lagged_correlation(x, lag)), unlikely) << text_of(interval) << lag;
  }
}

/// What is left is a float or few above the nearer bound.
EG_TEST(TruncatedNormal, of_bounds_beyond_every_normal_number) {
  for (double bound : {1e4, 1e10, 1e19, 3e38})
    for (double sign : {1.0, -1.0}) {
      const double nearer = as_element(DType::f32, bound);
      const Tensor x =
          sign > 0 ? truncated_normal(bound, infinity, {1000}, 1) : truncated_normal(-infinity, -bound, {1000}, 1);
      for (double value : download(x).values) {
        EXPECT_GE(sign * value, nearer);
        EXPECT_LE(sign * value, nearer * (1 + 0x1p-22) + 23 / nearer);
      }
    }
  EXPECT_EQ(truncated_normal(0, 0x1p-149, {3}, 1).size(), 3);
}

EG_TEST(TruncatedNormals, are_standard_normals_without_bounds) {
  const Moments m = moments(download(truncated_normal(-infinity, infinity, {100000}, 2)).values);
  EXPECT_NEAR(m.mean, 0, 0.015);
  EXPECT_NEAR(m.variance, 1, 0.02);
  EXPECT_NEAR(m.skewness, 0, 0.04);
}

EG_TEST(TruncatedNormal, of_every_shape_and_on_every_device) {
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{13}, Dims{3, 0}, Dims{13, 127}}) {
    const Array mine = download(truncated_normal(-2, 2, Shape(shape), 11));
    for (const std::string& spec : device_specs())
      EXPECT_TRUE(
          matches(truncated_normal(-2, 2, Shape(shape), 11, DType::f32, open_device(spec)), mine, {0, 2e-6, 2e-6}));
  }
}

}  // namespace
}  // namespace eglantine::test
