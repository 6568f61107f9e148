#include <algorithm>

#include "lower/as_subgroups.hpp"
#include "lower/reduce/fixture.hpp"
#include "lower/reduce/schedule/schedule.hpp"

/// Row trees of many rows, by their length.
namespace eglantine::test {
namespace {

class ReduceRowSchedules : public ReduceSchedules {
 protected:
  /// Of rows of f32, with so many elements from one to the next.
  static lower::ReducePattern pattern_of_rows(const gl::Target& target, int64_t rows, int64_t length,
                                              Reduction reduction = Reduction::sum, int64_t pitch = 0) {
    lower::ReduceLevel level;
    const Shape domain{rows, length};
    const Layout layout{domain, {std::max(pitch, length), 1}, 0};
    level.prologue = {domain, {{nullptr, StorageType::f32, layout}}, {}, {}, {{Op::load, DType::f32, {0, -1, -1}}}};
    level.kept_rank = 1;
    level.reduction = reduction;
    level.tree = layout::ReduceTree::row;
    level.kept = rows;
    level.length = length;
    return lower::pattern_of(target, level);
  }
};

TEST_F(ReduceRowSchedules, rows_of_every_length_give_the_trees_bits) {
  for (int64_t length : {1, 3, 4, 13, 64, 127, 256, 257, 1025, 8192, 8193, 70001}) {
    for (int64_t rows : {1, 3, 70}) {
      if (rows * length < 300000) expect_the_trees_bits({rows, length}, layout::ReduceTree::row);
    }
  }
}

TEST_F(ReduceRowSchedules, many_short_rows_share_groups) {
  expect_the_trees_bits({5003, 5}, layout::ReduceTree::row);
  expect_the_trees_bits({2001, 64}, layout::ReduceTree::row);
}

TEST_F(ReduceRowSchedules, many_rows_of_a_few_lanes_give_the_trees_bits) {
  for (const StorageType storage : {StorageType::f32, StorageType::f16})
    for (const int64_t length : {1, 2, 3, 4, 5, 8, 9, 13, 16, 19, 31, 32, 33, 50, 63, 64}) {
      storage_ = storage;
      hardware_->plan_for().resident_invocations = 256;
      expect_the_trees_bits({length % 2 == 0 ? 1030 : 515, length}, layout::ReduceTree::row);
      if (length == 19) expect_the_trees_bits({515, length}, layout::ReduceTree::row, 14);
    }
}

TEST_F(ReduceRowSchedules, short_rows_that_begin_anywhere_are_in_shared_memory_or_joined) {
  gl::Target& target = hardware_->plan_for();
  target.resident_invocations = 256;
  const auto pattern = [&](int64_t rows, int64_t length, Reduction reduction = Reduction::sum, int64_t pitch = 0) {
    return pattern_of_rows(target, rows, length, reduction, pitch);
  };
  using Pattern = lower::ReducePattern;
  for (const int64_t length : {17, 19, 23}) EXPECT_EQ(pattern(515, length), Pattern::row_staged) << length;
  for (const int64_t length : {25, 26, 63}) EXPECT_EQ(pattern(515, length), Pattern::row_short) << length;
  for (const int64_t length : {2, 3, 5, 15}) EXPECT_EQ(pattern(515, length), Pattern::row_fours) << length;
  EXPECT_EQ(pattern(255, 3), Pattern::row_staged);
  for (const int64_t length : {4, 24, 64}) EXPECT_EQ(pattern(515, length), Pattern::row_short) << length;
  EXPECT_EQ(pattern(515, 22, Reduction::argmax), Pattern::row_short);
  EXPECT_EQ(pattern(515, 22, Reduction::sum, 27), Pattern::row_short);
  EXPECT_EQ(pattern(31, 63), Pattern::row_short);
  // Windows of them begin at whole vectors.
  target.max_block_bytes = 1 << 14;
  for (const Shape& shape : {Shape{5003, 19}, Shape{2051, 3}, Shape{901, 62}})
    expect_the_trees_bits(shape, layout::ReduceTree::row);
}

TEST_F(ReduceRowSchedules, many_rows_of_subgroups_give_the_trees_bits) {
  hardware_ = std::make_unique<AsSubgroups>(*device_, 256);
  for (const StorageType storage : {StorageType::f32, StorageType::f16})
    for (const int64_t length :
         {125, 128, 129, 131, 256, 257, 317, 384, 700, 1000, 1024, 1025, 1500, 8192, 8193, 8203}) {
      storage_ = storage;
      const int64_t rows = length > 2000 ? 9 : length % 2 == 0 ? 11 : 13;
      expect_the_trees_bits({rows, length}, layout::ReduceTree::row);
      if (length < 400) expect_the_trees_bits({rows, length}, layout::ReduceTree::row, length % 4 == 0 ? 14 : 7);
      if (length == 317) expect_the_trees_bits({rows, length}, layout::ReduceTree::row, 1, Reduction::custom);
    }
}

TEST_F(ReduceRowSchedules, eight_lanes_take_many_rows_of_65_to_256_elements) {
  gl::Target& target = hardware_->plan_for();
  target.resident_invocations = 256;
  target.subgroup = 32;
  using Pattern = lower::ReducePattern;
  for (const int64_t length : {65, 127, 128, 256}) {
    EXPECT_EQ(pattern_of_rows(target, 16, length), Pattern::row_eights) << length;
    EXPECT_EQ(pattern_of_rows(target, 16, length, Reduction::argmax), Pattern::row_eights) << length;
    EXPECT_NE(pattern_of_rows(target, 15, length), Pattern::row_eights) << length;
    EXPECT_NE(pattern_of_rows(target, 16, length, Reduction::custom), Pattern::row_eights) << length;
  }
  EXPECT_EQ(pattern_of_rows(target, 64, 64), Pattern::row_short);
  EXPECT_EQ(pattern_of_rows(target, 16, 257), Pattern::row_subgroup);
}

TEST_F(ReduceRowSchedules, many_rows_of_eight_lanes_give_the_trees_bits) {
  hardware_ = std::make_unique<AsSubgroups>(*device_, 256);
  for (const int64_t length : {65, 66, 68, 96, 97, 128, 129, 161, 219, 220, 225, 256}) {
    storage_ = length % 3 == 0 ? StorageType::f16 : StorageType::f32;
    for (const int factors : {1, 5}) expect_the_trees_bits({37, length}, layout::ReduceTree::row, factors);
    if (length == 161) expect_the_trees_bits({37, length}, layout::ReduceTree::row, 14);
    if (length == 161) expect_the_trees_bits({37, length}, layout::ReduceTree::row, 1, Reduction::custom);
  }
}

TEST_F(ReduceRowSchedules, narrow_rows_give_the_trees_bits) {
  storage_ = StorageType::f16;
  for (const Shape& shape :
       {Shape{70, 3}, Shape{70, 64}, Shape{70, 257}, Shape{3, 8193}, Shape{3, 70001}, Shape{1, 140001}})
    expect_the_trees_bits(shape, layout::ReduceTree::row);
}

TEST_F(ReduceRowSchedules, groups_of_one_round_give_the_trees_bits) {
  hardware_->plan_for().large_pages = true;
  expect_the_trees_bits({3, 70001}, layout::ReduceTree::row);
  expect_the_trees_bits({1, 140001}, layout::ReduceTree::row);
  expect_the_trees_bits({2001, 64}, layout::ReduceTree::row);
  expect_the_trees_bits({128, 1030}, layout::ReduceTree::column);
}

TEST_F(ReduceRowSchedules, long_prologues_give_the_trees_bits) {
  expect_the_trees_bits({1025, 13}, layout::ReduceTree::column, 14);
  expect_the_trees_bits({13, 9001}, layout::ReduceTree::row, 14);
}

TEST_F(ReduceRowSchedules, a_users_own_sum_gives_the_trees_bits) {
  for (int factors : {1, 14}) {
    expect_the_trees_bits({1025, 13}, layout::ReduceTree::column, factors, Reduction::custom);
    expect_the_trees_bits({13, 9001}, layout::ReduceTree::row, factors, Reduction::custom);
  }
}

}  // namespace
}  // namespace eglantine::test
