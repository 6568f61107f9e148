#include <array>
#include <cmath>
#include <set>

#include "eglantine/ops.hpp"
#include "support/array.hpp"
#include "support/devices.hpp"
#include "support/random/statistics.hpp"
#include "support/reference/reference_math.hpp"

/// Numbers of one seed but different distributions, of different seeds and of seeds split from one are independent.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Random, Independence);
EG_ON_EACH_DEVICE(Random, SplitSeed);

constexpr int64_t draws = 40000;

struct Drawn {
  std::string name;
  std::vector<double> values;
};

std::vector<Drawn> all_of(uint64_t seed) {
  const auto values = [](const Tensor& x) { return download(x).values; };
  return {{"uniform", values(uniform({draws}, seed))},
          {"normal", values(normal({draws}, seed))},
          {"randint", values(randint(0, 1000, {draws}, seed))},
          {"bernoulli", values(bernoulli(0.5, {draws}, seed))},
          {"exponential", values(exponential({draws}, seed))},
          {"gumbel", values(gumbel({draws}, seed))},
          {"laplace", values(laplace({draws}, seed))},
          {"truncated_normal", values(truncated_normal(-2, 2, {draws}, seed))},
          {"permutation", values(permutation(draws, seed))},
          {"categorical", values(categorical(zeros({10}), seed, 0, draws))}};
}

/// Of the numbers, and of their distances from the middle.
void expect_independent(const Drawn& a, const Drawn& b) {
  const auto folded = [](std::vector<double> x) {
    const double mean = moments(x).mean;
    for (double& value : x) value = std::abs(value - mean);
    return x;
  };
  EXPECT_LT(std::abs(correlation(a.values, b.values)), unlikely) << a.name << " " << b.name;
  // A fair coin is as far from its middle on either side.
  if (a.name == "bernoulli" || b.name == "bernoulli") return;
  EXPECT_LT(std::abs(correlation(folded(a.values), folded(b.values))), unlikely) << a.name << " " << b.name;
}

EG_TEST(Independence, of_distributions_of_one_seed) {
  const std::vector<Drawn> drawn = all_of(7);
  for (size_t i = 0; i < drawn.size(); ++i)
    for (size_t j = 0; j < i; ++j) expect_independent(drawn[i], drawn[j]);
}

EG_TEST(Independence, of_one_distribution_of_neighbouring_seeds) {
  const std::vector<Drawn> first = all_of(7);
  for (uint64_t seed : {uint64_t{8}, uint64_t{7} + (uint64_t{1} << 32U), ~uint64_t{7}}) {
    const std::vector<Drawn> other = all_of(seed);
    for (size_t i = 0; i < first.size(); ++i) expect_independent(first[i], other[i]);
  }
}

EG_TEST(SplitSeed, gives_streams_that_are_independent_of_each_other_and_the_first) {
  const auto drawn = [](uint64_t seed) { return Drawn{std::to_string(seed), download(uniform({draws}, seed)).values}; };
  const std::vector<Drawn> streams = {drawn(5), drawn(split_seed(5, 0)), drawn(split_seed(5, 1)),
                                      drawn(split_seed(5, 2)), drawn(split_seed(6, 0))};
  for (size_t i = 0; i < streams.size(); ++i)
    for (size_t j = 0; j < i; ++j) expect_independent(streams[i], streams[j]);
}

TEST(SplitSeeds, are_words_of_counters_that_end_in_1) {
  for (uint64_t seed : {uint64_t{0}, uint64_t{5}, uint64_t{0x299f31d0a4093822}})
    for (uint64_t n : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32U, ~uint64_t{0}}) {
      const auto block =
          reference::philox_block({{static_cast<uint32_t>(n), static_cast<uint32_t>(n >> 32U), 0, 1}}, seed);
      EXPECT_EQ(split_seed(seed, n), uint64_t{block.word[1]} << 32U | block.word[0]);
    }
}

TEST(SplitSeeds, differ_and_have_every_bit_alike_often) {
  std::set<uint64_t> seen;
  std::array<int, 64> ones{};
  for (uint64_t seed : {0, 1})
    for (uint64_t n = 0; n < 5000; ++n) {
      const uint64_t split = split_seed(seed, n);
      EXPECT_TRUE(seen.insert(split).second) << n;
      for (size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(split >> bit & 1U);
    }
  for (int each : ones) EXPECT_LT(std::abs(each - 5000) / 50.0, unlikely);
}

}  // namespace
}  // namespace eglantine::test
