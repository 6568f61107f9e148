#include "support/random/draw.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

/// What a drawn share of a test's cases is.
namespace eglantine::test {
namespace {

std::vector<int> drawn(uint64_t group, int cases, uint64_t seed, std::string_view name = "test") {
  Draw draw(group, name, seed, true);
  std::vector<int> taken;
  for (int i = 0; i < cases; ++i)
    if (draw.next()) taken.push_back(i);
  return taken;
}

TEST(Draw, takes_one_of_each_group_in_a_row) {
  const std::vector<int> taken = drawn(7, 70, 1);
  ASSERT_EQ(taken.size(), 10U);
  for (size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i] / 7, static_cast<int>(i));
}

TEST(Draw, repeats_with_the_seed_and_differs_with_seed_and_name) {
  EXPECT_EQ(drawn(7, 70, 1), drawn(7, 70, 1));
  EXPECT_NE(drawn(7, 70, 1), drawn(7, 70, 2));
  EXPECT_NE(drawn(7, 70, 1), drawn(7, 70, 1, "another"));
}

TEST(Draw, reaches_every_case_over_the_seeds) {
  std::set<int> reached;
  for (uint64_t seed = 1000; seed < 1100; ++seed)
    for (const int i : drawn(7, 70, seed)) reached.insert(i);
  EXPECT_EQ(reached.size(), 70U);
}

TEST(Draw, leaves_nothing_out_where_all_cases_are_wanted) {
  Draw draw(7, "test", 1, false);
  for (int i = 0; i < 70; ++i) EXPECT_TRUE(draw.next());
}

}  // namespace
}  // namespace eglantine::test
