#include <gtest/gtest.h>

#include <limits>

#include "layout/collapse.hpp"
#include "random_movement.hpp"

namespace eglantine::layout {
namespace {

using layout_model::addresses;
using Strides = std::vector<int64_t>;

/// The elements of inner that outer reads.
layout_model::Model composed(const Layout& outer, const Layout& inner) {
  const Strides elements = addresses(inner);
  layout_model::Model result{outer.shape, {}};
  for (const int64_t at : addresses(outer)) result.addresses.push_back(elements[static_cast<size_t>(at)]);
  return result;
}

void expect_composed(const Layout& outer, const Layout& inner) {
  const auto x = compose(outer, inner);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->shape, outer.shape);
  EXPECT_EQ(addresses(*x), composed(outer, inner).addresses);
}

TEST(Compose, with_a_contiguous_inner_shifts_outer) {
  const Layout outer = flip(permute(contiguous({4, 6}), {1, 0}), 0);
  const auto x = compose(outer, contiguous({2, 3, 4}, 100));
  ASSERT_TRUE(x);
  EXPECT_EQ(x->strides, outer.strides);
  EXPECT_EQ(x->offset, outer.offset + 100);
}

TEST(Compose, of_scalars_and_of_nothing) {
  expect_composed(contiguous({}), contiguous({1, 1}, 5));
  expect_composed(contiguous({1, 1}), contiguous({}, 5));
  EXPECT_EQ(compose(contiguous({0, 3}), contiguous({13, 0}))->shape, (Shape{0, 3}));
}

TEST(Compose, undoes_a_transpose) {
  const Layout transposed = permute(contiguous({4, 6}), {1, 0});
  EXPECT_TRUE(same(*compose(permute(contiguous({6, 4}), {1, 0}), transposed), contiguous({4, 6})));
}

TEST(Compose, cuts_an_axis_of_a_transposed_inner) {
  expect_composed(contiguous({2, 3, 4}), permute(contiguous({4, 6}), {1, 0}));
}

TEST(Compose, goes_backwards_through_a_strided_inner) {
  const Layout rows = slice(contiguous({7, 6}, 3), 1, 0, 4, 1);
  expect_composed(flip(flip(contiguous({7, 4}), 0), 1), rows);
}

TEST(Compose, follows_a_diagonal) {
  expect_composed({{4}, {5}, 0}, permute(contiguous({4, 4}), {1, 0}));
  expect_composed({{4}, {3}, 3}, permute(contiguous({4, 4}), {1, 0}));
}

TEST(Compose, reads_windows_that_overlap) {
  expect_composed({{5, 3}, {1, 1}, 0}, flip(contiguous({7}), 0));
  expect_composed({{3, 3, 2}, {5, 1, 1}, 0}, permute(contiguous({5, 3}), {1, 0}));
}

TEST(Compose, ignores_the_stride_of_an_axis_of_length_one) {
  const Layout outer{{1, 3}, {std::numeric_limits<int64_t>::max(), 1}, 4};
  expect_composed(outer, permute(contiguous({4, 3}), {1, 0}));
}

TEST(Compose, keeps_broadcast_axes_of_either) {
  const Layout inner = expand(contiguous({5, 1, 3}), {5, 4, 3});
  expect_composed(expand(contiguous({1, 5, 4, 3}), {2, 5, 4, 3}), inner);
  expect_composed(permute(contiguous({20, 3}), {1, 0}), expand(contiguous({1, 1}), {20, 3}));
}

TEST(Compose, gives_nothing_when_an_axis_would_carry) {
  EXPECT_FALSE(compose(contiguous({24}), permute(contiguous({4, 6}), {1, 0})));
  EXPECT_FALSE(compose({{3}, {1}, 1}, permute(contiguous({3, 3}), {1, 0})));
  EXPECT_FALSE(compose({{2, 2}, {1, 1}, 1}, permute(contiguous({3, 3}), {1, 0}))) << "only the sum carries";
  EXPECT_FALSE(compose({{2, 2}, {-1, -1}, 4}, permute(contiguous({3, 3}), {1, 0}))) << "only the sum borrows";
}

TEST(Compose, does_not_overflow_on_long_axes) {
  const int64_t n = int64_t{1} << 31;
  const Layout transposed = permute(contiguous({n, n / 2}), {1, 0});
  EXPECT_FALSE(compose(contiguous({n * (n / 2)}), transposed));
  EXPECT_FALSE(compose(flip(contiguous({n * (n / 2)}), 0), transposed));
  EXPECT_TRUE(same(*compose(permute(contiguous({n / 2, n}), {1, 0}), transposed), contiguous({n, n / 2})));
}

/// With at most two irregular axes a carry always shows in the addresses, so that compose() misses nothing.
TEST(Compose, agrees_with_every_element_and_misses_nothing_over_two_axes) {
  layout_model::Random random(3);
  int found = 0;
  int carried = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto inner =
        layout_model::random_chain(random, layout_model::start_from(layout_model::random_shape(random, 4), 2), i % 4);
    const Shape reshaped = layout_model::random_reshape(random, inner.model.shape);
    const auto outer = layout_model::random_chain(random, layout_model::start_from(reshaped), i / 4 % 4);
    const auto expected = composed(outer.layout, inner.layout);
    const auto x = compose(outer.layout, inner.layout);
    ++(x ? found : carried);
    if (x) {
      ASSERT_EQ(x->shape, expected.shape) << "case " << i;
      ASSERT_EQ(addresses(*x), expected.addresses) << "case " << i;
      continue;
    }
    std::vector<Layout> merged{inner.layout};
    collapse(merged);
    ASSERT_TRUE(merged.front().shape.rank() > 2 || !layout_model::express(expected)) << "case " << i;
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(carried, 100);
}

/// As the graph composes a chain of verbs over a computed view.
TEST(Compose, then_collapse_keeps_the_addresses_in_order) {
  layout_model::Random random(4);
  for (int i = 0; i < 3000; ++i) {
    const auto inner =
        layout_model::random_chain(random, layout_model::start_from(layout_model::random_shape(random, 4)), 2);
    const auto outer = layout_model::random_chain(random, layout_model::start_from(inner.model.shape), 3);
    const auto x = compose(outer.layout, inner.layout);
    if (!x || x->size() == 0) continue;
    std::vector<Layout> together{*x, outer.layout};
    collapse(together);
    ASSERT_EQ(addresses(together[0]), composed(outer.layout, inner.layout).addresses) << "case " << i;
    ASSERT_EQ(addresses(together[1]), outer.model.addresses) << "case " << i;
  }
}

}  // namespace
}  // namespace eglantine::layout
