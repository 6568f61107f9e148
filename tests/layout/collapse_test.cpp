#include "layout/collapse.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "random_movement.hpp"

namespace eglantine::layout {
namespace {

using layout_model::addresses;
using Starts = std::vector<int>;
using Strides = std::vector<int64_t>;

TEST(Collapse, makes_contiguous_layouts_one_dimensional) {
  std::vector<Layout> x{contiguous({2, 3, 1, 4}), contiguous({2, 3, 1, 4}, 5)};
  collapse(x);
  EXPECT_EQ(x[0].shape, (Shape{24}));
  EXPECT_EQ(x[1].strides, (Strides{1}));
  EXPECT_EQ(x[1].offset, 5);
}

TEST(Collapse, merges_only_axes_that_every_layout_continues) {
  std::vector<Layout> x{contiguous({2, 3, 4}), expand(contiguous({4}), {2, 3, 4})};
  collapse(x);
  EXPECT_EQ(x[0].shape, (Shape{6, 4}));
  EXPECT_EQ(x[0].strides, (Strides{4, 1}));
  EXPECT_EQ(x[1].strides, (Strides{0, 1}));
}

TEST(Collapse, merges_reversed_axes) {
  std::vector<Layout> x{flip(flip(contiguous({2, 3}), 0), 1)};
  collapse(x);
  EXPECT_EQ(x[0].strides, (Strides{-1}));
}

TEST(Collapse, keeps_one_axis_of_a_single_element) {
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1, 1}}) {
    std::vector<Layout> x{contiguous(shape, 3)};
    EXPECT_EQ(collapse(x, {shape.rank() / 2}), Starts{0});
    EXPECT_EQ(x[0].shape, (Shape{1}));
    EXPECT_EQ(x[0].strides, (Strides{1}));
    EXPECT_EQ(x[0].offset, 3);
  }
}

TEST(Collapse, does_not_merge_across_a_barrier) {
  std::vector<Layout> x{contiguous({2, 3, 4, 5})};
  EXPECT_EQ(collapse(x, {2}), Starts{1});
  EXPECT_EQ(x[0].shape, (Shape{6, 20}));
}

TEST(Collapse, does_not_merge_across_a_barrier_at_an_axis_of_length_one) {
  std::vector<Layout> x{contiguous({2, 1, 3})};
  EXPECT_EQ(collapse(x, {1}), Starts{1});
  EXPECT_EQ(x[0].shape, (Shape{2, 3}));
}

TEST(Collapse, a_side_of_a_barrier_may_become_empty) {
  std::vector<Layout> before{contiguous({1, 1, 3})};
  EXPECT_EQ(collapse(before, {2}), Starts{0});
  EXPECT_EQ(before[0].shape, (Shape{3}));
  std::vector<Layout> after{contiguous({3, 1})};
  EXPECT_EQ(collapse(after, {1}), Starts{1});
  EXPECT_EQ(after[0].shape, (Shape{3}));
  std::vector<Layout> ends{contiguous({3, 2})};
  EXPECT_EQ(collapse(ends, {0, 2}), (Starts{0, 1}));
}

TEST(Collapse, of_an_empty_domain_stays_empty) {
  std::vector<Layout> x{contiguous({2, 0, 3})};
  collapse(x);
  EXPECT_EQ(x[0].size(), 0);
}

TEST(Collapse, of_no_layouts_does_nothing) {
  std::vector<Layout> none;
  EXPECT_EQ(collapse(none, {2}), Starts{2});
}

bool merges_nowhere(const std::vector<Layout>& layouts, const Starts& starts) {
  const Shape& shape = layouts.front().shape;
  for (int i = 1; i < shape.rank(); ++i) {
    if (std::find(starts.begin(), starts.end(), i) != starts.end()) continue;
    const auto outer = static_cast<size_t>(i - 1);
    const auto inner = static_cast<size_t>(i);
    if (std::all_of(layouts.begin(), layouts.end(),
                    [&](const Layout& x) { return x.strides[outer] == x.strides[inner] * shape[i]; })) {
      return false;
    }
  }
  return true;
}

TEST(Collapse, keeps_addresses_and_sides_and_leaves_nothing_to_merge) {
  layout_model::Random random(5);
  for (int i = 0; i < 4000; ++i) {
    const auto chain =
        layout_model::random_chain(random, layout_model::start_from(layout_model::random_shape(random, 5)), 3);
    const Shape shape = chain.model.shape;
    if (shape.elements() == 0) continue;
    std::vector<Layout> x{chain.layout, contiguous(shape)};
    const int barrier = static_cast<int>(layout_model::draw(random, 0, shape.rank()));
    const Starts starts = collapse(x, {barrier});
    ASSERT_EQ(addresses(x[0]), chain.model.addresses) << "case " << i;
    ASSERT_EQ(addresses(x[1]), addresses(contiguous(shape))) << "case " << i;
    const Shape before(shape.begin(), shape.begin() + barrier);
    const Shape collapsed(x[0].shape.begin(), x[0].shape.begin() + starts.front());
    ASSERT_EQ(collapsed.elements(), before.elements()) << "case " << i;
    ASSERT_TRUE(merges_nowhere(x, starts)) << "case " << i;
  }
}

}  // namespace
}  // namespace eglantine::layout
