#include "backend/cpu/instructions/random_math.hpp"

#include <gtest/gtest.h>

#include "support/random/draw.hpp"

namespace eglantine::test {
namespace {

constexpr uint32_t bits_that_enter = 24, all_bits = (1U << bits_that_enter) - 1;

/// Rounded once, from what is much more accurate.
::testing::AssertionResult is_near(float actual, double expected) {
  const double size = std::max(std::abs(expected), 0x1p-20);
  if (std::abs(actual - expected) <= 0x1.01p-24 * size) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << actual << " instead of " << expected;
}

// Each radius with an angle of its own: an odd factor leaves no angle out.
TEST(CpuRandomMath, normal_pairs_are_those_of_the_formula_for_every_radius_and_angle) {
  Draw draw = draw_one_of(5);
  for (uint32_t i = 0; i <= all_bits; ++i) {
    if (!draw.next()) continue;
    const uint32_t turn = i * 0x9e3779b1U & all_bits;
    const auto [even, odd] = cpu_math::normal_pair(i << 8U | 0xffU, turn << 8U | 0xffU);
    const double radius = std::sqrt(-2 * std::log((i + 1) * 0x1p-24)), angle = 6.283185307179586 * turn * 0x1p-24;
    ASSERT_TRUE(is_near(even, radius * std::cos(angle))) << "words " << i << " and " << turn;
    ASSERT_TRUE(is_near(odd, radius * std::sin(angle))) << "words " << i << " and " << turn;
  }
}

TEST(CpuRandomMath, normal_numbers_are_the_pairs_of_a_block) {
  for (const uint32_t block : {0U, 1U, 77U, 0x3fffffffU}) {
    const auto words = philox_block({block, 0, 1, 0}, 5, 6);
    for (uint32_t pair : {0U, 1U}) {
      const auto [even, odd] = cpu_math::normal_pair(words[2 * pair], words[2 * pair + 1]);
      EXPECT_EQ(cpu_math::philox_normal(4 * block + 2 * pair, 5, 6), even);
      EXPECT_EQ(cpu_math::philox_normal(4 * block + 2 * pair + 1, 5, 6), odd);
    }
  }
}

}  // namespace
}  // namespace eglantine::test
