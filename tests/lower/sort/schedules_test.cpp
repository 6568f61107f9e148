#include "lower/sort/sort_schedules.hpp"

namespace eglantine::test {
namespace {

TEST_F(SortSchedules, rows_that_share_groups) {
  Draw draw = draw_one_of(4);
  for (int64_t length : {33, 34, 44, 45, 64, 127, 129, 1000, 1407, 1408})
    for (int64_t rows : {1, 7, 200})
      if (rows * length < 60000 && draw.next()) expect_sorted(keys_with_ties(DType::u32, {rows, length}), rows == 7);
}

TEST_F(SortSchedules, rows_of_several_tiles) {
  Draw draw = draw_one_of(3);
  for (int64_t length : {1409, 2816, 40013})
    if (draw.next()) expect_sorted(keys_with_ties(DType::u32, {2, length}), length == 2816);
}

TEST_F(SortSchedules, more_tiles_than_one_pass_over_their_counts) {
  expect_sorted(keys_with_ties(DType::u32, {1, 200009}), true);
}

TEST_F(SortSchedules, other_dtypes_keys_alone_and_places_alone) {
  for (bool descending : {false, true}) {
    for (DType dtype : {DType::i32, DType::boolean}) expect_sorted(keys_with_ties(dtype, {3, 70}), descending);
    expect_sorted(special_keys({3, 70}), descending, 0, nodes::Sorted::keys);
    expect_sorted(keys_with_ties(DType::u32, {3, 70}), descending, 0, nodes::Sorted::places);
  }
}

TEST_F(SortSchedules, keys_of_bytes) {
  bytes_ = true;
  const auto keys = [](const Dims& shape) {
    Array x = keys_with_ties(DType::u32, shape);
    x.dtype = DType::i32;
    for (double& value : x.values) value = static_cast<double>(static_cast<int64_t>(value) % 256);
    return x;
  };
  for (int64_t length : {33, 129, 1407, 1409, 40013}) expect_sorted(keys({3, length}), length == 129);
  expect_sorted(keys({2, 50021}), true, 7);
  expect_sorted(keys({3, 70}), false, 0, nodes::Sorted::keys);
}

TEST_F(SortSchedules, equal_keys_that_look_like_filling) {
  for (int64_t length : {70, 6007})
    expect_sorted({DType::u32, {2, length}, std::vector<double>(static_cast<size_t>(2 * length), 4294967295.0)});
}

TEST_F(SortSchedules, selections) {
  const Array x = keys_with_ties(DType::u32, {2, 50021});
  Draw draw = draw_one_of(3);
  for (int64_t keep : {1, 7, 150})
    if (draw.next()) expect_sorted(x, true, keep);
  expect_sorted(x, false, 2000);
}

TEST_F(SortSchedules, windows_and_four_bindings) {
  gpu_.plan_for().max_bindings = 4;
  gpu_.plan_for().max_block_bytes = 65536;
  expect_sorted(keys_with_ties(DType::u32, {1, 40013}));
  expect_sorted(keys_with_ties(DType::u32, {40, 1000}), true);
  expect_sorted(keys_with_ties(DType::u32, {2, 20011}), true, 9);
}

TEST_F(SortSchedules, the_first_few_of_drawn_rows_by_tiles) {
  gpu_.plan_for().resident_invocations = 1024;
  Random random(draw_seed());
  for (int i = 0; i < 8; ++i) {
    const Dims shape{random.integer(1, 4), random.integer(8000, 40000)};
    const int64_t keep = i == 0 ? 1 : random.integer(1, shape[1] / 256);
    gpu_.names.clear();
    expect_sorted(drawn_keys(random, shape), random.integer(0, 1) == 1, keep);
    EXPECT_EQ(gpu_.names.find("sort_tile_first"), 0U) << text(shape) << " " << keep;
    EXPECT_NE(gpu_.names.find("sort_tile_gather"), std::string::npos);
  }
}

/// Of one SIMD vector for each tile; of shorter rows by an invocation each.
TEST_F(SortSchedules, the_first_few_of_long_rows_by_tiles_on_software_devices) {
  gpu_.plan_for().software = true;
  gpu_.plan_for().resident_invocations = 1024;
  for (const int64_t keep : {1, 7, 60}) {
    gpu_.names.clear();
    expect_sorted(keys_with_ties(DType::f32, {2, 70001}), keep != 7, keep);
    EXPECT_EQ(gpu_.names.find("sort_tile_first"), 0U) << keep;
  }
  gpu_.names.clear();
  expect_sorted(keys_with_ties(DType::f32, {2, 60001}), true, 7);
  EXPECT_EQ(gpu_.names.find("sort_tile_first"), std::string::npos);
}

TEST_F(SortSchedules, the_first_few_of_rows_that_are_short_or_few_by_sorting_all) {
  gpu_.plan_for().resident_invocations = 1 << 16;
  for (int64_t keep : {9, 150}) expect_sorted(keys_with_ties(DType::f32, {2, 4000 + keep}), true, keep);
  EXPECT_EQ(gpu_.names.find("sort_tile_first"), std::string::npos);
}

TEST_F(SortSchedules, a_tile_of_tiles_and_keys_of_which_a_range_covers_too_few) {
  gpu_.plan_for().resident_invocations = 256;
  const Array x = keys_with_ties(DType::u32, {1, 300007});  // the tiles' firsts are a row of many tiles again
  expect_sorted(x, true, 3);
  EXPECT_GE(std::ranges::count(gpu_.names, '\n'), 4);
  gpu_.names.clear();
  gpu_.plan_for().max_block_bytes = 65536;
  expect_sorted(x, true, 3);
  EXPECT_EQ(gpu_.names.find("sort_tile_first"), std::string::npos);
}

TEST_F(SortSchedules, the_first_few_of_rows_that_fit_into_shared_memory_by_tiles) {
  gpu_.plan_for().resident_invocations = 1024;
  for (int64_t keep : {1, 3}) {
    gpu_.names.clear();
    expect_sorted(keys_with_ties(DType::f32, {50, 1201}), keep == 3, keep);
    EXPECT_EQ(gpu_.names.find("sort_tile_first"), 0U) << keep;
  }
}

TEST_F(SortSchedules, the_first_few_of_rows_that_lie_side_by_side) {
  gpu_.plan_for().resident_invocations = 1024;
  side_by_side_ = true;
  for (const Dims& shape : {Dims{33, 1201}, Dims{61, 2003}, Dims{5, 20011}}) {
    gpu_.names.clear();
    expect_sorted(keys_with_ties(DType::f32, shape), true, 3);
    EXPECT_EQ(gpu_.names.find("sort_tile_first"), 0U) << text(shape);
  }
}

TEST_F(SortSchedules, the_first_few_of_more_rows_than_a_range_covers) {
  gpu_.plan_for().resident_invocations = 1024;
  gpu_.plan_for().max_block_bytes = 1 << 18;
  expect_sorted(keys_with_ties(DType::f32, {8, 8003}), true, 5);
  EXPECT_EQ(gpu_.names.find("sort_tile_first"), 0U);
  EXPECT_NE(gpu_.names.rfind("sort_tile_first"), 0U);
}

/// The last one's key has equals before and behind it, all keys are equal, or no two.
TEST_F(SortSchedules, the_first_few_of_rows_of_thousands_are_chosen_before_they_are_sorted) {
  Array equal{DType::f32, {2, 3000}, std::vector<double>(6000, -0.5)};
  const Array apart = random_array(DType::f32, {3, 5000});
  for (const bool descending : {false, true}) {
    expect_sorted(keys_with_ties(DType::f32, {2, 2500}), descending, 100);
    expect_sorted(keys_with_ties(DType::u32, {2, 20000}), descending, 150);
    expect_sorted(equal, descending, 7);
    expect_sorted(apart, descending, 100);
  }
  expect_sorted(apart, false, 13, nodes::Sorted::keys);
  expect_sorted(apart, true, 13, nodes::Sorted::places);
  EXPECT_EQ(gpu_.names.find("sort_count"), std::string::npos) << gpu_.names;
  EXPECT_EQ(std::ranges::count(gpu_.names, '\n'), 20) << gpu_.names;  // chosen and sorted, ten times
}

/// Keys of one bit, of either sign, numbers that are none, and more rows than groups.
TEST_F(SortSchedules, the_first_few_of_rows_of_thousands_of_any_keys) {
  Array odd = random_array(DType::f32, {5, 3000});
  for (size_t i = 0; i < odd.values.size(); i += 7) odd.values[i] = i % 2 == 0 ? -0.0 : std::nan("");
  gpu_.plan_for().max_groups = 2;
  for (const bool descending : {false, true}) {
    expect_sorted(keys_with_ties(DType::i32, {3, 2600}), descending, 100);
    expect_sorted(keys_with_ties(DType::boolean, {3, 2600}), descending, 40);
    expect_sorted(odd, descending, 100);
  }
  EXPECT_NE(gpu_.names.find("sort_choose"), std::string::npos) << gpu_.names;
  EXPECT_EQ(gpu_.names.find("sort_count"), std::string::npos) << gpu_.names;
}

/// Places whose keys share all digits, some or none, the first and the last of a row, and more tiles than a group has
/// at a time.
TEST_F(SortSchedules, few_places_of_long_rows_are_counted) {
  gpu_.plan_for().max_invocations = 512;
  gpu_.plan_for().max_shared_bytes = 32768;
  gpu_.plan_for().max_groups = 3;
  Array odd = random_array(DType::f32, {2, 20011});
  for (size_t i = 0; i < odd.values.size(); i += 7) odd.values[i] = i % 2 == 0 ? -0.0 : std::nan("");
  for (const bool descending : {false, true}) {
    for (DType dtype : {DType::f32, DType::i32, DType::u32, DType::boolean})
      expect_places(keys_with_ties(dtype, {2, 16385}), {0, 8191, 8192, 16384}, descending);
    expect_places(random_array(DType::f32, {3, 30001}), {15000, 30000}, descending);
    expect_places(random_array(DType::i32, {1, 70007}), {1, 2, 35003}, descending);
    expect_places(odd, {10005, 17000, 20010}, descending);
  }
  EXPECT_EQ(gpu_.names.find("sort_count"), std::string::npos) << gpu_.names;
  EXPECT_NE(gpu_.names.find("sort_places_find"), std::string::npos) << gpu_.names;
}

/// As software devices plan, whose invocations end at a number of trips: many tiles of a row, and of many rows.
TEST_F(SortSchedules, few_places_of_long_rows_take_bounded_trips_on_software_devices) {
  gpu_.plan_for() = device_->target();
  gpu_.plan_for().max_loop_trips = 65535;
  expect_places(random_array(DType::i32, {1, 1000003}), {499999, 500000, 1000002}, false);
  expect_places(random_array(DType::f32, {60, 17001}), {8500, 17000}, true);
}

/// Many places, rows that are no longer than what is counted, and little shared memory.
TEST_F(SortSchedules, other_places_are_of_sorted_rows) {
  gpu_.plan_for().max_invocations = 512;
  gpu_.plan_for().max_shared_bytes = 32768;
  const Array x = keys_with_ties(DType::u32, {1, 16389});
  expect_places(x, {1, 2, 3, 4, 5}, false);
  negates_ = true;
  expect_places(random_array(DType::i32, {3, 5000}), {0, 2500, 4999}, true);
  expect_places(random_array(DType::i32, {3, 40000}), {0, 1, 2, 25000, 39999}, true);
  negates_ = false;
  expect_places(random_array(DType::f32, {70, 21}), {10}, false);
  gpu_.plan_for().max_shared_bytes = 16384;
  expect_places(keys_with_ties(DType::u32, {2, 16389}), {1, 8000, 16388}, true);
  gpu_.plan_for().max_shared_bytes = 32768;
  gpu_.plan_for().max_block_bytes = 65536;  // the counts of four places take more
  expect_places(random_array(DType::f32, {1, 20000}), {1, 8000, 9000, 19999}, false);
  EXPECT_EQ(gpu_.names.find("sort_places"), std::string::npos) << gpu_.names;
}

/// Several windows of a row, and several of all rows, whose counts add up.
TEST_F(SortSchedules, few_places_are_counted_in_windows) {
  const auto check = [&](const gl::Target& planned, bool descending) {
    gpu_.plan_for() = planned;
    gpu_.plan_for().max_block_bytes = 65536;
    for (DType dtype : {DType::f32, DType::i32, DType::u32, DType::boolean})
      expect_places(keys_with_ties(dtype, {3, 40009}), {0, 20004, 40008}, descending);
    expect_places(random_array(DType::f32, {1, 150001}), {75000, 150000}, descending);
    flipped_ = true;
    expect_places(random_array(DType::f32, {2, 20003}), {1}, descending);
    flipped_ = false;
    side_by_side_ = true;
    negates_ = true;
    expect_places(random_array(DType::i32, {2, 20003}), {10001, 10002}, descending);
    expect_places(random_array(DType::i32, {7, 16401}), {16400}, descending);
    expect_places(random_array(DType::i32, {30, 16401}), {1}, descending);  // too far apart: copied
    side_by_side_ = negates_ = false;
    gpu_.plan_for().max_block_bytes = 3 << 17;  // several whole rows of counts, and of keys
    expect_places(random_array(DType::f32, {23, 16384}), {8191, 8192, 16383}, descending);
    EXPECT_EQ(gpu_.names.find("sort_count"), std::string::npos) << gpu_.names;
    const auto first = gpu_.names.find("sort_places_count"), second = gpu_.names.find("sort_places_count", first + 1);
    EXPECT_LT(second, gpu_.names.find("sort_places_find")) << gpu_.names;
  };
  gpu_.plan_for().max_invocations = 512;
  gpu_.plan_for().max_shared_bytes = 32768;
  check(gpu_.target(), false);
  gpu_.names = "";
  check(device_->target(), true);
}

/// Windows are of parts of all rows side by side, but of no more matrices than bind: parts bring those no nearer.
TEST_F(SortSchedules, few_places_of_near_rows_are_counted_in_windows_of_as_many_rows_as_bind) {
  const auto check = [&](const gl::Target& planned, bool descending) {
    gpu_.plan_for() = planned;
    gpu_.plan_for().max_block_bytes = 1 << 17;
    side_by_side_ = true;
    batches_ = 2;
    EXPECT_EQ(windows_of_places(random_array(DType::f32, {4, 16384}), {8191}, descending), 2) << "whole matrices";
    EXPECT_EQ(windows_of_places(random_array(DType::i32, {6, 40009}), {20004}, descending), 8) << "parts of each";
    batches_ = 1;
    EXPECT_EQ(windows_of_places(random_array(DType::u32, {5, 16401}), {16400}, descending), 4) << "parts of all";
    gpu_.plan_for().max_block_bytes = 65536;
    EXPECT_EQ(windows_of_places(random_array(DType::f32, {7, 16401}), {9}, descending), 3 * 8) << "the shortest";
  };
  gpu_.plan_for().max_invocations = 512;
  gpu_.plan_for().max_shared_bytes = 32768;
  check(gpu_.target(), false);
  check(device_->target(), true);
}

/// Keys that are computed, or bytes, of which windows begin anywhere; rows that lie side by side are copied.
TEST_F(SortSchedules, few_places_of_bytes_and_of_columns_are_counted_in_windows) {
  gpu_.plan_for() = device_->target();
  gpu_.plan_for().max_block_bytes = 65536;
  Array bytes = keys_with_ties(DType::u32, {3, 100003});
  bytes.dtype = DType::i32;
  for (double& value : bytes.values) value = static_cast<double>(static_cast<int64_t>(value) % 256);
  bytes_ = true;
  expect_places(bytes, {0, 50001, 100002}, false);
  bytes_ = false;
  side_by_side_ = true;
  expect_places(random_array(DType::f32, {40, 16411}), {8205, 16410}, true);
  EXPECT_EQ(gpu_.names.find("sort_count"), std::string::npos) << gpu_.names;
}

TEST_F(SortSchedules, as_large_gpus_compile_them) {
  gpu_.unrolled = true;
  gpu_.plan_for().max_invocations = 512;
  gpu_.plan_for().max_shared_bytes = 32768;
  Draw draw = draw_one_of(2);
  for (int64_t length : {5000, 20000})
    if (draw.next()) expect_sorted(keys_with_ties(DType::boolean, {2, length}), false, 0, nodes::Sorted::keys);
}

}  // namespace
}  // namespace eglantine::test
