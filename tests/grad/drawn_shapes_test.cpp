#include "grad/drawn_shapes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace eglantine::test {
namespace {

TEST(DrawnLengths, are_the_same_wherever_a_letter_stands) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const std::vector<Dims> shapes = drawn_shapes("4a b>2a 3b...", random, 200);
    ASSERT_EQ(shapes.size(), 3U);
    const int64_t a = shapes[0][1], b = shapes[1][0];
    EXPECT_GE(a, 1);
    EXPECT_GT(b, 2);
    EXPECT_EQ(shapes[0], (Dims{4, a}));
    EXPECT_EQ(shapes[1], (Dims{b, a}));
    EXPECT_EQ((Dims{shapes[2][0], shapes[2][1]}), (Dims{3, b}));
    EXPECT_LE(count(shapes[0]) + count(shapes[1]) + count(shapes[2]), 200);
  }
}

TEST(DrawnLengths, are_of_every_rank_and_zero_where_that_is_asked_for) {
  Random random(2);
  std::set<size_t> ranks;
  std::set<int64_t> first, second;
  for (int i = 0; i < 1000; ++i) {
    const Dims shape = drawn_shapes("a?b...", random, 100)[0];
    ranks.insert(shape.size());
    first.insert(shape[0]);
    second.insert(shape[1]);
  }
  EXPECT_EQ(ranks, (std::set<size_t>{2, 3, 4, 5}));
  for (const int64_t length : {1, 2, 3, 4, 5, 6, 7, 8, 16, 33})
    EXPECT_EQ(first.count(length) + second.count(length), 2U);
  EXPECT_EQ(first.count(0), 1U);
  EXPECT_EQ(second.count(0), 0U);
}

TEST(DrawnLengths, that_do_not_exist_are_an_error) {
  Random random(3);
  EXPECT_THROW(drawn_shapes("99", random, 80), std::logic_error);
  EXPECT_THROW(drawn_shapes("abcdef", random, 80), std::logic_error);
}

}  // namespace
}  // namespace eglantine::test
