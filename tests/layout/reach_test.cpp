#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "eglantine/error.hpp"
#include "random_movement.hpp"

namespace eglantine::layout {
namespace {

constexpr int64_t huge = int64_t{1} << 40;

void expect_reach(const Layout& x, int64_t first, int64_t last) {
  EXPECT_EQ(reach(x).first, first);
  EXPECT_EQ(reach(x).last, last);
  EXPECT_EQ(reach(x).count(), last - first + 1);
}

TEST(Reach, of_small_layouts) {
  expect_reach(contiguous({}, 4), 4, 4);
  expect_reach(contiguous({2, 3}, 4), 4, 9);
  expect_reach(expand(contiguous({1}, 4), {13}), 4, 4);
  expect_reach(flip(contiguous({5}, 2), 0), 2, 6);
  expect_reach(contiguous({3, 0}, 4), 0, -1);
}

TEST(Reach, axes_by_distance_are_the_furthest_first) {
  EXPECT_EQ(by_distance(contiguous({2, 3, 4})), (Axes{0, 1, 2}));
  EXPECT_EQ(by_distance(permute(contiguous({2, 3, 4}), {2, 0, 1})), (Axes{1, 2, 0}));
  EXPECT_EQ(by_distance(flip(permute(contiguous({2, 3}), {1, 0}), 0)), (Axes{1, 0}));
  EXPECT_EQ(by_distance({{3, 1, 4}, {4, 0, 1}, 0}), (Axes{1, 0, 2}));
  EXPECT_EQ(by_distance(expand(contiguous({1, 4}), {3, 4})), (Axes{1, 0}));
}

TEST(Reach, counts_in_64_bits) {
  expect_reach(contiguous({huge, 1024}), 0, huge * 1024 - 1);
  expect_reach(flip(contiguous({huge, 1024}), 0), 0, huge * 1024 - 1);
  expect_reach(expand(contiguous({1}), {huge, huge >> 20}), 0, 0);
}

TEST(Reach, refuses_addresses_past_64_bits) {
  const Layout product{{3, 3}, {int64_t{1} << 62, 1}, 0};
  const Layout sum{{2}, {std::numeric_limits<int64_t>::max()}, 1};
  EXPECT_THROW(reach(sum), ShapeError);
  try {
    reach(product);
    FAIL() << "no ShapeError";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(),
                 "[layout] strides (4611686018427387904, 1) over shape (3, 3) reach further than 64 bits can address");
  }
}

TEST(Reach, is_the_least_and_the_greatest_address) {
  layout_model::Random random(6);
  for (int i = 0; i < 2000; ++i) {
    const auto x =
        layout_model::random_chain(random, layout_model::start_from(layout_model::random_shape(random, 5), 7), 4);
    if (x.model.addresses.empty()) continue;
    const auto [least, greatest] = std::minmax_element(x.model.addresses.begin(), x.model.addresses.end());
    ASSERT_EQ(reach(x.layout).first, *least) << "case " << i;
    ASSERT_EQ(reach(x.layout).last, *greatest) << "case " << i;
  }
}

TEST(Same, compares_addresses_rather_than_numbers) {
  EXPECT_TRUE(same({{2, 1}, {3, 8}, 5}, {{2, 1}, {3, 0}, 5}));
  EXPECT_TRUE(same({{0, 4}, {3, 8}, 5}, {{0, 4}, {1, 1}, 0}));
  EXPECT_FALSE(same({{2}, {3}, 5}, {{2}, {3}, 6}));
  EXPECT_FALSE(same({{2}, {3}, 5}, {{2}, {4}, 5}));
  EXPECT_FALSE(same(contiguous({2, 3}), contiguous({3, 2})));
  EXPECT_FALSE(same(contiguous({1}), contiguous({})));
}

}  // namespace
}  // namespace eglantine::layout
