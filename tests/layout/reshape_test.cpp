#include <gtest/gtest.h>

#include "random_movement.hpp"

namespace eglantine::layout {
namespace {

using layout_model::addresses;
using Strides = std::vector<int64_t>;

TEST(Reshape, of_a_contiguous_layout_is_contiguous) {
  for (const Shape& shape : {Shape{24}, Shape{4, 6}, Shape{1, 24, 1}, Shape{2, 2, 2, 3}}) {
    const auto x = reshape(contiguous({2, 3, 4}, 11), shape);
    ASSERT_TRUE(x);
    EXPECT_TRUE(same(*x, contiguous(shape, 11)));
  }
}

TEST(Reshape, between_scalars_and_axes_of_length_one) {
  EXPECT_EQ(reshape(contiguous({}, 3), {1, 1})->offset, 3);
  EXPECT_EQ(reshape(contiguous({1, 1}, 3), {})->shape, Shape{});
}

TEST(Reshape, of_nothing_takes_any_empty_shape) {
  EXPECT_EQ(reshape(permute(contiguous({2, 0, 3}), {2, 1, 0}), {0, 13})->shape, (Shape{0, 13}));
}

TEST(Reshape, splits_an_axis_of_a_transposed_layout) {
  const auto x = reshape(permute(contiguous({4, 6}), {1, 0}), {2, 3, 4});
  ASSERT_TRUE(x);
  EXPECT_EQ(x->strides, (Strides{3, 1, 6}));
}

TEST(Reshape, merges_axes_that_continue_each_other_only) {
  const Layout x = slice(contiguous({4, 5, 6}), 0, 0, 2, 2);
  EXPECT_EQ(reshape(x, {2, 30})->strides, (Strides{60, 1}));
  EXPECT_FALSE(reshape(x, {60}));
  EXPECT_FALSE(reshape(x, {3, 20})) << "a new axis across a gap";
  EXPECT_FALSE(reshape(permute(contiguous({4, 6}), {1, 0}), {24}));
}

TEST(Reshape, keeps_broadcast_and_flipped_axes) {
  EXPECT_EQ(reshape(expand(contiguous({1}), {6}), {2, 3})->strides, (Strides{0, 0}));
  EXPECT_EQ(reshape(expand(contiguous({1, 5}), {6, 5}), {2, 3, 5})->strides, (Strides{0, 0, 1}));
  EXPECT_FALSE(reshape(expand(contiguous({1, 5}), {6, 5}), {30}));
  EXPECT_EQ(reshape(flip(contiguous({6}), 0), {2, 3})->strides, (Strides{-3, -1}));
  EXPECT_EQ(reshape(flip(flip(contiguous({2, 3}), 0), 1), {6})->strides, (Strides{-1}));
}

TEST(Reshape, succeeds_exactly_when_strides_exist) {
  layout_model::Random random(2);
  int possible = 0;
  int impossible = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto x =
        layout_model::random_chain(random, layout_model::start_from(layout_model::random_shape(random, 4)), i % 5);
    const Shape shape = layout_model::random_reshape(random, x.model.shape);
    const auto expected = layout_model::express({shape, x.model.addresses});
    const auto reshaped = reshape(x.layout, shape);
    ASSERT_EQ(reshaped.has_value(), expected.has_value()) << x.model.shape << " to " << shape << ", case " << i;
    if (reshaped) {
      ASSERT_EQ(addresses(*reshaped), x.model.addresses) << "case " << i;
    }
    ++(reshaped ? possible : impossible);
  }
  EXPECT_GT(possible, 1000);
  EXPECT_GT(impossible, 300);
}

}  // namespace
}  // namespace eglantine::layout
