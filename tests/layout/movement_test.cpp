#include <gtest/gtest.h>

#include <limits>

#include "random_movement.hpp"

namespace eglantine::layout {
namespace {

using layout_model::addresses;
using Strides = std::vector<int64_t>;

void expect_layout(const Layout& x, const Shape& shape, const Strides& strides, int64_t offset) {
  EXPECT_EQ(x.shape, shape);
  EXPECT_EQ(x.strides, strides);
  EXPECT_EQ(x.offset, offset);
}

TEST(Movement, contiguous_is_row_major) {
  expect_layout(contiguous({}), {}, {}, 0);
  expect_layout(contiguous({13}, 5), {13}, {1}, 5);
  expect_layout(contiguous({2, 3, 4}), {2, 3, 4}, {12, 4, 1}, 0);
  expect_layout(contiguous({2, 0, 4}), {2, 0, 4}, {4, 4, 1}, 0);
}

TEST(Movement, permute_reorders_axes) {
  expect_layout(permute(contiguous({2, 3, 4}, 7), {2, 0, 1}), {4, 2, 3}, {1, 12, 4}, 7);
}

TEST(Movement, expand_repeats_with_stride_zero) {
  expect_layout(expand(contiguous({3, 1}), {5, 3, 4}), {5, 3, 4}, {0, 1, 0}, 0);
  expect_layout(expand(contiguous({}, 9), {2}), {2}, {0}, 9);
  expect_layout(expand(contiguous({1}), {0}), {0}, {0}, 0);
}

TEST(Movement, slice_steps_either_way) {
  expect_layout(slice(contiguous({10}), 0, 1, 5, 2), {5}, {2}, 1);
  expect_layout(slice(contiguous({10}), 0, 8, 3, -3), {3}, {-3}, 8);
  expect_layout(slice(contiguous({4, 5}, 100), 1, 2, 2, 1), {4, 2}, {5, 1}, 102);
}

TEST(Movement, slice_of_one_or_no_element_does_not_overflow) {
  const int64_t far = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(addresses(slice(contiguous({4, 5}), 0, 3, 1, far)), (Strides{15, 16, 17, 18, 19}));
  EXPECT_EQ(slice(contiguous({4}, 3), 0, 4, 0, far).offset, 3);
}

TEST(Movement, flip_reverses_one_axis) {
  expect_layout(flip(contiguous({2, 3}), 1), {2, 3}, {3, -1}, 2);
  expect_layout(flip(contiguous({0, 3}), 0), {0, 3}, {3, 1}, 0);
}

TEST(Movement, squeeze_and_unsqueeze_undo_each_other) {
  const Layout x = permute(contiguous({2, 3}, 4), {1, 0});
  for (int axis = 0; axis <= 2; ++axis) {
    EXPECT_EQ(unsqueeze(x, axis).shape[axis], 1);
    EXPECT_TRUE(same(squeeze(unsqueeze(x, axis), axis), x));
  }
}

TEST(Movement, random_chains_agree_with_moving_every_element) {
  layout_model::Random random(1);
  for (int i = 0; i < 4000; ++i) {
    layout_model::Moved x = layout_model::start_from(layout_model::random_shape(random, 5, true), i % 3);
    for (int step = 0; step < 6; ++step) {
      x = layout_model::random_movement(random, x);
      ASSERT_EQ(x.layout.shape, x.model.shape) << "chain " << i << " step " << step;
      ASSERT_EQ(addresses(x.layout), x.model.addresses) << "chain " << i << " step " << step;
    }
  }
}

}  // namespace
}  // namespace eglantine::layout
