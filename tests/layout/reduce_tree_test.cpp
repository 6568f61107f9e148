#include "layout/reduce_tree.hpp"

#include <gtest/gtest.h>

#include "layout/layout.hpp"

namespace eglantine::layout {
namespace {

void expect_order(const ReduceOrder& order, ReduceTree tree, const Axes& reduced) {
  EXPECT_EQ(order.tree, tree);
  EXPECT_EQ(order.reduced, reduced);
}

TEST(ReduceOrder, is_a_row_tree_when_the_innermost_axis_is_reduced) {
  const Layout x = contiguous({13, 127});
  expect_order(reduce_order(x.shape, {x}, {1}), ReduceTree::row, {1});
  expect_order(reduce_order(x.shape, {x}, {0}), ReduceTree::column, {0});
}

TEST(ReduceOrder, follows_memory_rather_than_axes) {
  const Layout x = permute(contiguous({13, 127}), {1, 0});
  expect_order(reduce_order(x.shape, {x}, {0}), ReduceTree::row, {0});
  expect_order(reduce_order(x.shape, {x}, {1}), ReduceTree::column, {1});
  expect_order(reduce_order(x.shape, {x}, {0, 1}), ReduceTree::row, {1, 0});
}

TEST(ReduceOrder, takes_the_reduced_axes_as_memory_lies) {
  const Layout x = permute(contiguous({4, 5, 6, 7}), {3, 1, 0, 2});
  expect_order(reduce_order(x.shape, {x}, {0, 1, 2}), ReduceTree::row, {2, 1, 0});
  expect_order(reduce_order(x.shape, {x}, {1, 2}), ReduceTree::column, {2, 1});
}

TEST(ReduceOrder, does_not_see_directions_and_offsets) {
  const Layout x = contiguous({5, 6, 7});
  Layout moved = flip(flip(x, 0), 2);
  moved.offset += 1000;
  for (const Axes& axes : {Axes{0}, Axes{0, 2}, Axes{0, 1, 2}}) {
    const ReduceOrder order = reduce_order(x.shape, {x}, axes);
    expect_order(reduce_order(x.shape, {moved}, axes), order.tree, order.reduced);
  }
}

TEST(ReduceOrder, follows_the_operand_that_reaches_most) {
  const Shape shape{13, 127};
  const Layout rows = contiguous(shape);
  const Layout columns = permute(contiguous({127, 13}), {1, 0});
  const Layout bias = expand(contiguous({127}), shape);
  expect_order(reduce_order(shape, {bias, columns}, {0}), ReduceTree::row, {0});
  expect_order(reduce_order(shape, {rows, columns}, {0}), ReduceTree::column, {0});
  expect_order(reduce_order(shape, {columns, rows}, {0}), ReduceTree::row, {0});  // the first among equals
}

TEST(ReduceOrder, is_a_row_tree_when_nothing_is_kept) {
  const Layout x = expand(contiguous({1, 5}), {4, 5});
  expect_order(reduce_order(x.shape, {x}, {0, 1}), ReduceTree::row, {1, 0});
  expect_order(reduce_order({1, 1}, {contiguous({1, 1})}, {0}), ReduceTree::row, {0});
  const Layout repeated = expand(contiguous({}), {1, 4});
  expect_order(reduce_order(repeated.shape, {repeated}, {1}), ReduceTree::row, {1});
}

TEST(ReduceOrder, of_broadcast_scalars_or_no_operand_takes_the_domain_as_row_major) {
  const Shape shape{4, 1000};
  for (const std::vector<Layout>& operands : {std::vector<Layout>{}, {expand(contiguous({}), shape)}}) {
    expect_order(reduce_order(shape, operands, {1}), ReduceTree::row, {1});
    expect_order(reduce_order(shape, operands, {0}), ReduceTree::column, {0});
  }
}

TEST(ReduceOrder, skips_axes_of_length_one) {
  const Layout x{{6, 1}, {1, 1}, 0};
  expect_order(reduce_order(x.shape, {x}, {0}), ReduceTree::row, {0});
  const Layout kept{{6, 1}, {2, 1}, 0};
  expect_order(reduce_order(kept.shape, {kept}, {1}), ReduceTree::column, {1});
}

TEST(ReduceOrder, takes_the_last_axis_among_equal_strides) {
  const Layout windows{{5, 3}, {1, 1}, 0};
  expect_order(reduce_order(windows.shape, {windows}, {1}), ReduceTree::row, {1});
  expect_order(reduce_order(windows.shape, {windows}, {0}), ReduceTree::column, {0});
  expect_order(reduce_order(windows.shape, {windows}, {0, 1}), ReduceTree::row, {0, 1});
}

TEST(ReduceTree, blocks_are_the_products_of_lanes_and_trips) {
  EXPECT_EQ(row_block, row_lanes * 4 * row_trips);
  EXPECT_EQ(column_block, column_accumulators * column_trips);
}

}  // namespace
}  // namespace eglantine::layout
