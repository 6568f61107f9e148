#include "lower/map/tile_order.hpp"

#include <gtest/gtest.h>

#include "layout/layout.hpp"

namespace eglantine::test {
namespace {

constexpr int64_t group_size = 8;

/// The order of a map that reads (columns, lines) in memory as (lines, columns), on a software device.
std::optional<lower::TileOrder> order_of(int64_t lines, int64_t columns, StorageType storage, bool software = true) {
  const Layout x = layout::permute(layout::contiguous({columns, lines}), {1, 0});
  lower::Target target;
  target.software = software;
  const Expr value{x.shape, {{nullptr, storage, x}}, {}, {}, {{Op::load, DType::f32, {0, -1, -1}}}};
  return lower::tile_order(target, value, group_size);
}

TEST(TileOrder, takes_as_many_lines_as_share_a_cache_line) {
  ASSERT_TRUE(order_of(2048, 2048, StorageType::f32));
  EXPECT_EQ(order_of(2048, 2048, StorageType::f32)->lines, 16);
  EXPECT_EQ(order_of(2048, 2048, StorageType::f16)->lines, 32);
  EXPECT_EQ(order_of(2048, 2048, StorageType::u8)->lines, 64);
  EXPECT_EQ(order_of(2048, 2048, StorageType::u8)->axis, 0);
}

TEST(TileOrder, is_for_rows_that_no_cache_holds) {
  EXPECT_FALSE(order_of(2048, 2048, StorageType::f32, false));
  EXPECT_FALSE(order_of(2047, 2001, StorageType::f32));
  EXPECT_TRUE(order_of(2047, 20001, StorageType::f32));
  EXPECT_FALSE(order_of(256, 1024, StorageType::f32));
  EXPECT_TRUE(order_of(256, 1025, StorageType::f32));
  EXPECT_FALSE(order_of(7, 20001, StorageType::f32));
  EXPECT_FALSE(order_of(1 << 20, 31, StorageType::f32));
}

// 5 lines fewer than two tiles have, and a column more than three have.
TEST(TileOrder, counts_tiles_of_which_a_part_is_beyond_the_ends) {
  const lower::TileOrder order{1, 16, group_size};
  EXPECT_EQ(order.tiles({3, 27, 2, 3 * 4 * group_size + 1}), 3 * 2 * 2 * 4);
}

}  // namespace
}  // namespace eglantine::test
