#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/statistics.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/reference_math.hpp"
#include "support/shapes.hpp"

/// randint and bernoulli: the bits of their words, on every device, and what a user counts, of the reference: its bits
/// are the devices'.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Randint);
EG_ON_EACH_DEVICE(Creation, Bernoulli);

__extension__ using Wide = unsigned __int128;

constexpr int64_t lowest = std::numeric_limits<int32_t>::min(), highest = std::numeric_limits<int32_t>::max();
constexpr uint64_t seeds[] = {0, 42, 0x299f31d0a4093822, ~uint64_t{0}};

uint32_t low_word(uint64_t seed) { return static_cast<uint32_t>(seed); }
uint32_t high_word(uint64_t seed) { return static_cast<uint32_t>(seed >> 32U); }

Array randint_reference(int64_t low, int64_t high, DType dtype, const Dims& shape, uint64_t seed) {
  uint32_t element = 0;
  return generate(dtype, shape, [&](const Dims&) {
    const uint32_t i = 2 * element++;
    const auto word = [&](uint32_t j) { return reference::philox_randint(j, low_word(seed), high_word(seed)); };
    const Wide product = (Wide{word(i)} << 32U | word(i + 1)) * static_cast<Wide>(high - low);
    return static_cast<double>(low + static_cast<int64_t>(product >> 64U));
  });
}

EG_TEST(Randint, has_the_same_bits_everywhere) {
  struct Range {
    int64_t low, high;
    DType dtype;
  };
  for (const Range& range : {Range{0, 10, DType::i32},
                             {-5, 5, DType::i32},
                             {7, 8, DType::i32},
                             {lowest, lowest + 1, DType::i32},
                             {highest, highest + 1, DType::i32},
                             {lowest, highest + 1, DType::i32},
                             {lowest, highest, DType::i32},
                             {-1000000007, 2000000011, DType::i32},
                             {0, 4294967296, DType::u32},
                             {5, 4294967295, DType::u32},
                             {4294967290, 4294967296, DType::u32}})
    for (uint64_t seed : seeds)
      EXPECT_TRUE(matches(randint(range.low, range.high, {3, 127}, seed, range.dtype),
                          randint_reference(range.low, range.high, range.dtype, {3, 127}, seed)))
          << range.low << " " << range.high << " " << seed;
}

EG_TEST(Randint, of_every_shape) {
  const Dims long_one{70001};
  EXPECT_TRUE(matches(randint(0, 7, Shape(long_one), 11), randint_reference(0, 7, DType::i32, long_one, 11)));
  for (const Dims& shape : every_shape())
    EXPECT_TRUE(matches(randint(-3, 90, Shape(shape), 5), randint_reference(-3, 90, DType::i32, shape, 5)));
  EXPECT_EQ(randint(0, 3, {2}, 1).dtype(), DType::i32);
}

EG_TEST(Randint, views_read_the_same_elements) {
  const Array x = randint_reference(0, 100, DType::i32, {13, 7}, 5);
  EXPECT_TRUE(matches(randint(0, 100, {13, 7}, 5).transpose(0, 1), naive::transpose(x, 0, 1)));
  EXPECT_TRUE(matches(randint(0, 100, {13, 7}, 5).slice(0, 9, 3, -2), naive::slice(x, 0, 9, 3, -2)));
  EXPECT_TRUE(matches(randint(0, 100, {13, 7}, 5).expand({2, 13, 7}), naive::expand(x, {2, 13, 7})));
}

TEST(RandintReference, every_number_comes_alike_often) {
  for (int64_t range : {2, 7, 10, 1000}) {
    std::vector<int64_t> counts(static_cast<size_t>(range), 0);
    for (double value : randint_reference(-3, range - 3, DType::i32, {100000}, 11).values)
      ++counts.at(static_cast<size_t>(value + 3));
    const std::vector<double> even(counts.size(), 1.0 / static_cast<double>(range));
    EXPECT_LT(std::abs(chi_square(counts, even)), unlikely) << range;
  }
}

TEST(RandintReference, neighbours_are_independent) {
  std::vector<double> x = randint_reference(0, 1 << 20, DType::i32, {65536}, 3).values;
  for (double& value : x) value /= 1 << 20;
  for (size_t lag : {1, 2, 4, 256}) {
    EXPECT_LT(std::abs(lagged_correlation(x, lag)), unlikely) << lag;
    EXPECT_LT(std::abs(chi_square_of_pairs(x, lag, 16)), unlikely) << lag;
  }
}

Array bernoulli_reference(double below, const Dims& shape, uint64_t seed) {
  uint32_t element = 0;
  return generate(DType::boolean, shape, [&](const Dims&) {
    return reference::philox_bernoulli(element++, low_word(seed), high_word(seed)) < below ? 1.0 : 0.0;
  });
}

EG_TEST(Bernoulli, has_the_same_bits_everywhere) {
  for (double p : {0.0, 0x1p-34, 0x1p-32, 1e-6, 0.1, 0.5, 0.75, 1 - 0x1p-32, 1 - 0x1p-40, 1.0})
    for (uint64_t seed : seeds)
      EXPECT_TRUE(matches(bernoulli(p, {3, 127}, seed), bernoulli_reference(std::rint(p * 0x1p32), {3, 127}, seed)))
          << p << " " << seed;
  std::vector<Dims> shapes = every_shape();
  shapes.push_back({70001});
  for (const Dims& shape : shapes)
    EXPECT_TRUE(matches(bernoulli(0.3, Shape(shape), 1), bernoulli_reference(std::rint(0.3 * 0x1p32), shape, 1)));
}

EG_TEST(Bernoulli, is_never_or_always_at_0_and_1) {
  EXPECT_FALSE(any(bernoulli(0.0, {100000}, 9)).item<bool>());
  EXPECT_TRUE(all(bernoulli(1.0, {100000}, 9)).item<bool>());
  EXPECT_FALSE(any(bernoulli(zeros({}), {100000}, 9)).item<bool>());
  EXPECT_TRUE(all(bernoulli(ones({}), {100000}, 9)).item<bool>());
}

TEST(BernoulliReference, comes_true_as_often_as_p_says) {
  constexpr int64_t count = 200000;
  for (double p : {0.01, 0.3, 0.9}) {
    const std::vector<double> x = bernoulli_reference(std::rint(p * 0x1p32), {count}, 4).values;
    const double deviation = std::sqrt(p * (1 - p) / count);
    EXPECT_LT(std::abs(moments(x).mean - p) / deviation, unlikely) << p;
    for (size_t lag : {1, 2, 4}) EXPECT_LT(std::abs(lagged_correlation(x, lag)), unlikely) << p << " " << lag;
  }
}

EG_TEST(Bernoulli, of_a_tensor_draws_each_element_by_its_own) {
  Array p{DType::f32, {11}, {0, 1, 0.5, 0.25, 1e-3, 0x1p-33, -0.5, 1.5, INFINITY, -INFINITY, std::nan("")}};
  for (double& value : p.values) value = as_element(DType::f32, value);
  // p lies along `axis` of the result; a comparison with NaN is false.
  const auto expected = [&](const Dims& shape, size_t axis) {
    uint32_t element = 0;
    return generate(DType::boolean, shape, [&](const Dims& i) {
      const double each = p.values[static_cast<size_t>(i[axis])];
      return reference::philox_bernoulli(element++, 8, 0) < std::rint(each * 0x1p32) ? 1.0 : 0.0;
    });
  };
  EXPECT_TRUE(matches(bernoulli(upload(p), {500, 11}, 8), expected({500, 11}, 1)));
  EXPECT_TRUE(matches(bernoulli(upload(p).flip(0).flip(0).unsqueeze(1), {11, 500}, 8), expected({11, 500}, 0)));
  const Array certain{DType::boolean, {2}, {0, 1}};
  EXPECT_TRUE(matches(bernoulli(upload(certain), {2}, 1), certain));
  EXPECT_EQ(bernoulli(zeros({1, 3}), {0, 3}, 1).size(), 0);
}

}  // namespace
}  // namespace eglantine::test
