#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/statistics.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/reference_math.hpp"
#include "support/shapes.hpp"

/// exponential, gumbel and laplace: functions of their words, and the distributions.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Continuous);
EG_ON_EACH_DEVICE(Random, ContinuousDistributions);

using Stream = uint32_t (*)(uint32_t index, uint32_t key_low, uint32_t key_high);

double exponential_of(double uniform) { return -std::log1p(-uniform); }
double from_word(uint32_t word) { return (word + 0.5) * 0x1p-32; }

double laplace_of(uint32_t word) {
  const double size = exponential_of((std::floor(word / 2.0) + 0.5) * 0x1p-31);
  return word % 2 == 0 ? size : -size;
}

struct Distribution {
  std::string name;
  Tensor (*draw)(Shape shape, uint64_t seed, DType dtype, const Device& device);
  Stream stream;
  double (*of_word)(uint32_t word);
  double (*below)(double x);  ///< the distribution function
  Moments moments;
  double fourth;    ///< the fourth central moment, for the variance's own deviation
  double skewness;  ///< n times the variance of the skewness of n numbers
  double tolerance, low, high;
};

constexpr double pi = 3.14159265358979323846;

const std::vector<Distribution>& distributions() {
  static const std::vector<Distribution> all = {
      {"exponential",
       exponential,
       reference::philox_exponential,
       [](uint32_t word) { return exponential_of(from_word(word)); },
       [](double x) { return -std::expm1(-x); },
       {1, 1, 2},
       9,
       72,
       1e-6,
       0,
       23},
      {"gumbel",
       gumbel,
       reference::philox_gumbel,
       [](uint32_t word) { return -std::log(exponential_of(from_word(word))); },
       [](double x) { return std::exp(-std::exp(-x)); },
       {0.57721566490153286, pi * pi / 6, 1.1395470994},
       14.6114,
       31.68,
       2e-6,
       -3.2,
       23},
      {"laplace",
       laplace,
       reference::philox_laplace,
       laplace_of,
       [](double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; },
       {0, 2, 0},
       24,
       63,
       1e-6,
       -22.3,
       22.3},
  };
  return all;
}

Array reference_of(const Distribution& d, const Dims& shape, uint64_t seed) {
  uint32_t element = 0;
  return generate(DType::f32, shape, [&](const Dims&) {
    return d.of_word(d.stream(element++, static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32U)));
  });
}

EG_TEST(Continuous, each_number_is_the_inverse_of_its_word) {
  for (const Distribution& d : distributions()) {
    const Tolerance near{0, d.tolerance, d.name == "exponential" ? 0 : d.tolerance};
    for (uint64_t seed : {uint64_t{0}, uint64_t{0x299f31d0a4093822}})
      for (const Dims& shape : {Dims{}, Dims{1}, Dims{2, 0}, Dims{3, 127}, Dims{70001}})
        EXPECT_TRUE(matches(d.draw(Shape(shape), seed, DType::f32, device()), reference_of(d, shape, seed), near))
            << d.name << " " << seed << " " << text(shape);
  }
}

EG_TEST(ContinuousDistributions, are_those_of_the_names) {
  constexpr int64_t count = 200000;
  for (const Distribution& d : distributions())
    for (uint64_t seed : {1, 2}) {
      const std::vector<double> x = download(d.draw({count}, seed, DType::f32, device())).values;
      EXPECT_LT(distance(x, d.below), unlikely_distance) << d.name;
      const Moments m = moments(x);
      const double v = d.moments.variance;
      EXPECT_LT(std::abs(m.mean - d.moments.mean) / std::sqrt(v / count), unlikely) << d.name;
      EXPECT_LT(std::abs(m.variance - v) / std::sqrt((d.fourth - v * v) / count), unlikely) << d.name;
      EXPECT_LT(std::abs(m.skewness - d.moments.skewness) / std::sqrt(d.skewness / count), unlikely) << d.name;
      EXPECT_GE(min(d.draw({count}, seed, DType::f32, device())).item<float>(), d.low) << d.name;
      EXPECT_LE(max(d.draw({count}, seed, DType::f32, device())).item<float>(), d.high) << d.name;
      for (size_t lag : {1, 2, 4}) EXPECT_LT(std::abs(lagged_correlation(x, lag)), unlikely) << d.name << " " << lag;
    }
}

/// Cut at the quantiles into cells of one probability, pairs of neighbours fill the square evenly.
EG_TEST(ContinuousDistributions, neighbours_are_independent) {
  for (const Distribution& d : distributions()) {
    std::vector<double> x = download(d.draw({65536}, 5, DType::f32, device())).values;
    for (double& value : x) value = std::min(d.below(value), 1 - 0x1p-53);
    for (size_t lag : {1, 2, 4, 128}) EXPECT_LT(std::abs(chi_square_of_pairs(x, lag, 16)), unlikely) << d.name;
  }
}

EG_TEST(Continuous, views_read_the_same_elements) {
  for (const Distribution& d : distributions()) {
    const Tensor x = d.draw({13, 7}, 5, DType::f32, device());
    const Array values = download(x);
    const Tensor again = d.draw({13, 7}, 5, DType::f32, device());
    EXPECT_TRUE(matches(again.transpose(0, 1), naive::transpose(values, 0, 1))) << d.name;
    EXPECT_TRUE(matches(again.slice(0, 9, 3, -2), naive::slice(values, 0, 9, 3, -2))) << d.name;
  }
}

}  // namespace
}  // namespace eglantine::test
