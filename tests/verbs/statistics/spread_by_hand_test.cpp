#include "verbs/statistics/statistics.hpp"

/// A variance written as the mean of squares of differences from the mean: on GPUs one kernel reads long rows and
/// columns for both.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Statistics, SpreadByHand);

enum class Written : uint8_t { square, product };

struct LongCase {
  Dims shape;
  std::vector<int64_t> axes;
};

/// Long columns, also of a prime length and along two axes; the batches of an image's channels; rows; all elements.
const std::vector<LongCase> long_cases{
    {{300000, 10}, {0}}, {{100003, 10}, {0}}, {{512, 512, 4}, {0, 1}}, {{200, 3, 50, 50}, {0, 2, 3}},
    {{4, 400000}, {1}},  {{500000}, {0}},     {{4194307}, {0}}};

Tensor normalised(const Tensor& x, const Axes& axes, Written written) {
  const Tensor difference = x - mean(x, axes, true);
  const Tensor squares = written == Written::square ? square(difference) : difference * difference;
  return difference / sqrt(mean(squares, axes, true) + 1e-5F);
}

Array normalised(const Array& x, const std::vector<int64_t>& axes) {
  const Array difference = naive::map(x, naive::mean(x, axes, true), DType::f32, std::minus<>());
  return naive::map(difference, naive::var(x, axes, true), DType::f32,
                    [](double d, double v) { return d / std::sqrt(v + 1e-5); });
}

/// Two or three kernels for the moments, of the parts (and of what few elements are left behind them) and of what joins
/// them, and one for the result.
EG_TEST(SpreadByHand, reads_long_rows_and_columns_once) {
  const DeviceInfo& info = device().info();
  for (const LongCase& c : long_cases)
    for (const Written written : {Written::square, Written::product}) {
      const Array x = random_reals(c.shape, 2, 5);
      const Axes axes(c.axes);
      const Tensor given = upload(x), y = normalised(given, axes, written);
      if (info.kind != "cpu" && !info.software) {
        EXPECT_EQ(explain(y).find("reduce sum"), std::string::npos) << to_string(Shape(c.shape));
        EXPECT_LE(kernels_of(y), 4) << to_string(Shape(c.shape));
      }
      EXPECT_TRUE(matches(y, normalised(x, c.axes), {0, 1e-5, 1e-5})) << to_string(Shape(c.shape));
    }
}

/// A mean and two readings where no divisor cuts rows, and a cache holds them.
EG_TEST(SpreadByHand, of_rows_of_a_prime_length) {
  const Array x = random_reals({3, 350003}, 2, 5);
  const Tensor y = normalised(upload(x), 1, Written::square);
  EXPECT_LE(kernels_of(y), 4);
  EXPECT_TRUE(matches(y, normalised(x, {1}), {0, 1e-5, 1e-5}));
}

/// Far from zero, where a mean of squares less the square of the mean has no digits left.
EG_TEST(SpreadByHand, keeps_its_digits_far_from_zero) {
  for (const LongCase& c : long_cases) {
    const Array x = random_reals(c.shape, 4095, 4097);
    const Axes axes(c.axes);
    const Tensor given = upload(x), difference = given - mean(given, axes, true);
    EXPECT_TRUE(matches(mean(square(difference), axes), naive::var(x, c.axes), {0, 1e-4, 0}))
        << to_string(Shape(c.shape));
  }
}

/// Differences from anything else are no variance: from another tensor's mean, and from one that lies the other way.
EG_TEST(SpreadByHand, of_other_means_is_what_it_says) {
  const Array x = random_reals({1200, 1200}, 2, 5, 1), other = random_reals({1200, 1200}, -1, 1, 2);
  const Tensor given = upload(x), from = upload(other);
  const auto expected = [&](const Array& means) {
    return naive::mean(naive::map(x, means, DType::f32, [](double a, double b) { return (a - b) * (a - b); }), {0});
  };
  EXPECT_TRUE(
      matches(mean(square(given - mean(from, 0, true)), 0), expected(naive::mean(other, {0}, true)), {0, 1e-5, 0}));
  const Array across{DType::f32, {1200, 1}, naive::mean(x, {0}).values};
  EXPECT_TRUE(matches(mean(square(given - mean(given, 0).reshape({1200, 1})), 0), expected(across), {0, 1e-5, 0}));
}

}  // namespace
}  // namespace eglantine::test
