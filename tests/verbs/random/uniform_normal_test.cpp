#include <array>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/statistics.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/reference_math.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Uniform);
EG_ON_EACH_DEVICE(Creation, Normal);
EG_ON_EACH_DEVICE(Random, UniformDistribution);
EG_ON_EACH_DEVICE(Random, NormalDistribution);

using Words = std::array<uint32_t, 4>;

Words philox(const Words& counter, uint64_t key) {
  const auto block = reference::philox_block({{counter[0], counter[1], counter[2], counter[3]}}, key);
  return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

Array uniform_reference(const Dims& shape, uint64_t seed) {
  uint32_t element = 0;
  return generate(DType::f32, shape, [&](const Dims&) {
    const uint32_t word = reference::philox(element++, static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32U));
    return static_cast<double>(word >> 8U) * 0x1p-24;
  });
}

// The vectors published by the authors (Random123, tests/kat_vectors, "philox4x32 10").
TEST(PhiloxReference, gives_the_published_vectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, ~uint64_t{0}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

EG_TEST(Uniform, starts_with_the_published_vector) {
  const Words words = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const std::vector<float> stream = uniform({4}, 0).to_vector<float>();
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(stream[i], static_cast<float>(words[i] >> 8U) * 0x1p-24F);
}

EG_TEST(Uniform, has_the_bits_of_philox_for_every_seed_and_shape) {
  for (uint64_t seed :
       {uint64_t{0}, uint64_t{1}, uint64_t{42}, uint64_t{1} << 32U, uint64_t{0x299f31d0a4093822}, ~uint64_t{0}})
    for (const Dims& shape : {Dims{}, Dims{1}, Dims{13}, Dims{1025}, Dims{3, 127}, Dims{2, 0}, Dims{70001}})
      EXPECT_TRUE(matches(uniform(eglantine::Shape(shape), seed), uniform_reference(shape, seed)))
          << seed << " " << text(shape);
}

EG_TEST(Uniform, views_of_the_stream_read_the_same_elements) {
  const Array x = uniform_reference({13, 7}, 5);
  EXPECT_TRUE(matches(uniform({13, 7}, 5).transpose(0, 1), naive::transpose(x, 0, 1)));
  EXPECT_TRUE(matches(uniform({13, 7}, 5).slice(0, 3, 9, 2), naive::slice(x, 0, 3, 9, 2)));
  EXPECT_TRUE(matches(uniform({13, 7}, 5).flip({}), naive::flip(x, {})));
}

EG_TEST(NormalDistribution, has_the_moments_of_a_standard_normal) {
  const Array x = download(normal({100000}, 7));
  double total = 0;
  double squares = 0;
  for (double v : x.values) {
    ASSERT_TRUE(std::isfinite(v));
    total += v;
    squares += v * v;
  }
  EXPECT_NEAR(total / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

EG_TEST(Normal, repeats_and_depends_on_the_seed) {
  EXPECT_TRUE(same_bits(normal({127}, 3), normal({127}, 3)));
  EXPECT_FALSE(same_bits(normal({127}, 3), normal({127}, 4)));
  EXPECT_EQ(normal({0, 3}, 1).to_vector<float>().size(), 0U);
  EXPECT_EQ(normal({}, 1).rank(), 0);
}

/// Pairs of words of normal's own stream.
Array normal_reference(const Dims& shape, uint64_t seed) {
  uint32_t element = 0;
  return generate(DType::f32, shape, [&](const Dims&) {
    return reference::philox_normal(element++, static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32U));
  });
}

EG_TEST(Normal, is_made_of_its_own_words_of_every_seed) {
  for (uint64_t seed : {uint64_t{0}, uint64_t{42}, uint64_t{0x299f31d0a4093822}})
    EXPECT_TRUE(matches(normal({13, 77}, seed), normal_reference({13, 77}, seed), {0, 0, 1e-6})) << seed;
}

EG_TEST(NormalDistribution, is_independent_of_uniform_of_the_same_seed) {
  constexpr int64_t count = 50000;
  using Function = double (*)(double);
  const Function of_normal[] = {[](double z) { return z; }, [](double z) { return z * z; },
                                [](double z) { return std::abs(z); }, [](double z) { return std::exp(-z * z / 2); }};
  const Function of_uniform[] = {[](double u) { return u; }, [](double u) { return std::log(u + 0x1p-25); },
                                 [](double u) { return std::cos(6.283185307179586 * u); },
                                 [](double u) { return std::abs(u - 0.5); }};
  const Array z = download(normal({count}, 7)), u = download(uniform({2 * count}, 7));
  // Element i of normal against elements i, 2i and 2i + 1 of uniform.
  for (const auto& [step, first] : {std::pair<size_t, size_t>{1, 0}, {2, 0}, {2, 1}})
    for (Function f : of_normal)
      for (Function g : of_uniform) {
        std::vector<double> a, b;
        for (size_t i = 0; i < z.values.size(); ++i)
          a.push_back(f(z.values[i])), b.push_back(g(u.values[i * step + first]));
        EXPECT_LT(std::abs(correlation(a, b)), unlikely) << step << " " << first;
      }
}

EG_TEST(NormalDistribution, has_its_shape) {
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  std::vector<double> x = download(normal({100000}, 3)).values;
  EXPECT_LT(distance(x, below), unlikely_distance);
  for (double& value : x) value = below(value);
  for (size_t lag : {1, 2, 4, 128}) EXPECT_LT(std::abs(chi_square_of_pairs(x, lag, 16)), unlikely) << lag;
}

EG_TEST(UniformDistribution, has_its_shape) {
  const std::vector<double> x = download(uniform({100000}, 3)).values;
  EXPECT_LT(distance(x, [](double value) { return value; }), unlikely_distance);
  for (size_t lag : {1, 2, 4, 128}) {
    EXPECT_LT(std::abs(lagged_correlation(x, lag)), unlikely) << lag;
    EXPECT_LT(std::abs(chi_square_of_pairs(x, lag, 16)), unlikely) << lag;
  }
}

EG_TEST(Normal, agrees_with_every_other_device) {
  const Array mine = download(normal({20001}, 11));
  for (const std::string& spec : device_specs())
    EXPECT_TRUE(matches(normal({20001}, 11, DType::f32, open_device(spec)), mine, {0, 0, 1e-6})) << spec;
}

}  // namespace
}  // namespace eglantine::test
