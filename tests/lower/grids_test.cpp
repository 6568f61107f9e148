#include <gtest/gtest.h>

#include "lower/program_dispatch.hpp"

/// The number of groups that share a kernel's work.
namespace eglantine::test {
namespace {

using lower::Grid;
using lower::resident_grid;

constexpr int64_t software_group = 8;

lower::Target device(bool software) {
  lower::Target target;
  target.software = software;
  target.resident_invocations = 1024;
  target.max_groups = 65535;
  target.max_loop_trips = software ? 65535 : 0;
  return target;
}

Grid grid_of(bool software, int64_t rounds, int64_t trips = 1) {
  return resident_grid(device(software), rounds * software_group, software_group, software_group, trips);
}

TEST(Grids, wake_no_second_thread_of_a_software_device_for_a_little_work) {
  for (const int64_t rounds : {1, 2, 31, 32}) EXPECT_EQ(grid_of(true, rounds).groups, 1) << rounds;
  EXPECT_EQ(grid_of(true, 33).groups, 2);
  EXPECT_EQ(grid_of(true, 320).groups, 10);
  EXPECT_EQ(grid_of(true, 32, 8).groups, 8) << "of eight trips each";
  EXPECT_EQ(grid_of(true, 32, 100).groups, 32) << "of a hundred trips each";
  EXPECT_EQ(grid_of(false, 32).groups, 32);
}

TEST(Grids, hold_every_item_in_whole_rounds) {
  for (const bool software : {false, true})
    for (const int64_t items : {1, 7, 8, 9, 255, 257, 1023, 8193, 1'000'003, 100'000'007}) {
      const Grid grid = resident_grid(device(software), items, software_group, software_group);
      EXPECT_EQ(grid.chunk % software_group, 0) << items;
      EXPECT_GE(grid.groups * grid.chunk, items);
      EXPECT_LT((grid.groups - 1) * grid.chunk, items) << "a group without items";
    }
}

TEST(Grids, take_users_operations_for_long_ones) {
  Expr expr;
  EXPECT_EQ(lower::trips_of(expr), 1);
  expr.calls.push_back({});
  EXPECT_EQ(grid_of(true, 32, lower::trips_of(expr)).groups, 32);
}

}  // namespace
}  // namespace eglantine::test
