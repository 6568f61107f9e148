#include "lower/sort/sort_schedules.hpp"

/// Rows of a few records, sorted in registers.
namespace eglantine::test {
namespace {

class SortNetworks : public SortSchedules {
 protected:
  SortNetworks() {
    gpu_.unrolled = true;
    gpu_.plan_for().resident_invocations = 128;
  }
  void TearDown() override { EXPECT_EQ(gpu_.names.find("sort_network"), 0U) << gpu_.names; }
};

nodes::Sorted drawn_results(Random& random) {
  constexpr std::array every{nodes::Sorted::keys, nodes::Sorted::places, nodes::Sorted::both};
  return every[static_cast<size_t>(random.integer(0, 2))];
}

TEST_F(SortNetworks, rows_of_every_few_records) {
  Random random(draw_seed());
  Draw draw = draw_one_of(4);
  for (int64_t length = 1; length <= 32; ++length) {
    if (!draw.next()) continue;
    const Array x = drawn_keys(random, {random.integer(1, 300), length});
    side_by_side_ = random.integer(0, 1) == 1;
    expect_sorted(x, random.integer(0, 1) == 1, random.integer(1, length), drawn_results(random));
  }
}

/// Of more records than one invocation ranks two share a row.
TEST_F(SortNetworks, many_rows_of_every_few_more_records) {
  Random random(draw_seed());
  Draw draw = draw_one_of(4);
  for (int64_t length = 33; length <= 64; ++length) {
    if (!draw.next()) continue;
    side_by_side_ = random.integer(0, 1) == 1;
    const Dims shape{random.integer(64, 300), length};
    expect_sorted(drawn_keys(random, shape), random.integer(0, 1) == 1, random.integer(1, length),
                  drawn_results(random));
    expect_sorted(keys_with_ties(DType::i32, shape), random.integer(0, 1) == 1, 0, nodes::Sorted::keys);
  }
}

/// Zeros and ones in every order: a network that sorts those sorts all keys.
TEST_F(SortNetworks, rows_of_every_ten_bits) {
  constexpr int64_t length = 10, rows = 1 << length;
  Array x{DType::i32, {rows, length}, {}};
  for (int64_t i = 0; i < rows * length; ++i) x.values.push_back(static_cast<double>(i / length >> i % length & 1));
  for (bool descending : {false, true})
    for (nodes::Sorted wanted : {nodes::Sorted::keys, nodes::Sorted::both}) expect_sorted(x, descending, 0, wanted);
}

TEST_F(SortNetworks, keys_of_bytes_groups_with_several_rounds_and_little_shared_memory) {
  gpu_.plan_for().max_groups = 3;
  gpu_.plan_for().max_shared_bytes = 8192;
  expect_sorted(keys_with_ties(DType::f32, {900, 7}), true);
  bytes_ = true;
  Array x = keys_with_ties(DType::i32, {500, 5});
  for (double& value : x.values) value = std::abs(std::fmod(value, 256));
  expect_sorted(x, false, 3, nodes::Sorted::keys);
}

TEST_F(SortNetworks, more_rows_than_a_range_covers) {
  gpu_.plan_for().max_block_bytes = 4096;
  expect_sorted(special_keys({500, 11}), true);
  EXPECT_GT(std::ranges::count(gpu_.names, '\n'), 1);
}

TEST_F(SortSchedules, few_rows_of_more_records_or_in_little_shared_memory_are_no_network) {
  gpu_.unrolled = true;
  gpu_.plan_for().resident_invocations = 1024;
  expect_sorted(keys_with_ties(DType::f32, {511, 40}), true);
  gpu_.plan_for().max_shared_bytes = 16384;
  expect_sorted(keys_with_ties(DType::f32, {600, 64}), true);
  EXPECT_EQ(gpu_.names.find("sort_network"), std::string::npos) << gpu_.names;
}

}  // namespace
}  // namespace eglantine::test
