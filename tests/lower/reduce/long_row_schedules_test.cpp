#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "lower/reduce/fixture.hpp"

/// One long row, whose blocks are shared by all groups: the last one combines what the others left.
namespace eglantine::test {
namespace {

class ReduceLongRowSchedules : public ReduceSchedules {};

/// Groups whose last one combines what all have give them too, however few they are.
TEST_F(ReduceLongRowSchedules, one_row_in_a_single_pass_gives_the_trees_bits) {
  if (hardware_->plan_for().max_invocations < 256) GTEST_SKIP() << "groups of fewer than 256";
  hardware_->plan_for().large_pages = true;
  for (const int64_t resident : {1 << 14, 1 << 18})
    for (const int64_t length : {8192 * 16 + 1, 8192 * 32, 8192 * 32 + 1, 1000003}) {
      hardware_->plan_for().resident_invocations = resident;
      hardware_->names.clear();
      expect_the_trees_bits({1, length}, layout::ReduceTree::row);
      const bool few = length / layout::row_block * layout::row_lanes < resident;
      const std::string pairs =
          few ? "reduce_column_singly argmax f32\n" : "reduce_row argmax f32\nreduce_row argmax f32\n";
      EXPECT_EQ(hardware_->names, "reduce_row sum f32\n" + pairs) << length;
    }
}

TEST_F(ReduceLongRowSchedules, the_last_group_combines_what_the_others_left_of_a_long_row) {
  hardware_->plan_for().large_pages = true;
  hardware_->plan_for().resident_invocations = 1024;
  for (int64_t length : {139265, 200003, 524288}) {
    for (int factors : {1, 14}) {
      expect_the_trees_bits({1, length}, layout::ReduceTree::row, factors);
      expect_the_trees_bits({1, length}, layout::ReduceTree::row, factors, Reduction::custom);
    }
  }
  hardware_->dispatches = 0;
  reduced(std::vector<float>(200003, 1.0F), {1, 200003}, layout::ReduceTree::row, Reduction::sum, 1);
  EXPECT_EQ(hardware_->dispatches, 1);
  // The counters of every exchange are zero again.
  for (int i = 0; i < 32; ++i) {
    const std::vector<uint32_t> counters =
        download(*device_, device_->open_exchange()->storage(), lower::exchange_counters);
    EXPECT_EQ(counters, std::vector<uint32_t>(lower::exchange_counters)) << i;
  }
}

TEST_F(ReduceLongRowSchedules, what_groups_left_may_be_more_than_a_block) {
  hardware_->plan_for().large_pages = true;
  constexpr int64_t period = 1000, times = 67117, length = period * times;  // 8194 blocks
  std::vector<float> x;
  std::vector<uint32_t> words;
  for (int64_t i = 0; i < period; ++i) x.push_back(static_cast<float>((i * 7919) % 10007) / 10007.0F - 0.4F);
  for (float value : x) words.push_back(std::bit_cast<uint32_t>(value));
  const Layout layout{{1, times, period}, {0, 0, 1}, 0};
  ReduceKernel kernel;
  kernel.prologue = {layout.shape,
                     {{buffer_of(*device_, words_of(x)), storage_, layout}},
                     {},
                     {},
                     {{Op::load, DType::f32, {0, -1, -1}}}};
  kernel.kept_rank = 1;
  kernel.reduction = Reduction::sum;
  kernel.tree = layout::ReduceTree::row;
  kernel.epilogue = {{1}, {}, {}, {}, {{Op::accumulator, DType::f32, {-1, -1, -1}}}};
  kernel.out = {buffer_of(*device_, std::vector<uint32_t>(1)), StorageType::f32, layout::contiguous(Shape{1})};
  hardware_->run(kernel);
  EXPECT_EQ(hardware_->dispatches, 1);
  // The blocks' results are a row of the next level.
  constexpr int64_t distinct = 125;
  std::vector<float> sums;
  for (int64_t first = 0; first < length; first += layout::row_block) {
    const auto block = static_cast<int64_t>(sums.size());
    std::vector<float> run;
    for (int64_t e = first; e < std::min(length, first + layout::row_block); ++e)
      run.push_back(x[static_cast<size_t>(e % period)]);
    const bool known = block >= distinct && run.size() == static_cast<size_t>(layout::row_block);
    sums.push_back(known ? sums[static_cast<size_t>(block - distinct)] : row_tree_sum(run));
  }
  EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), 1)[0], std::bit_cast<uint32_t>(row_tree_sum(sums)));
}

TEST_F(ReduceLongRowSchedules, a_long_rows_largest_element_is_found_and_nan_wins) {
  hardware_->plan_for().large_pages = true;
  hardware_->plan_for().resident_invocations = 1024;
  std::vector<float> x(200003, -2.0F);
  for (const float largest : {-1.0F, std::numeric_limits<float>::quiet_NaN()}) {
    x[150001] = largest;
    const uint32_t bits = reduced(x, {1, 200003}, layout::ReduceTree::row, Reduction::max, 1)[0];
    const bool found_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    EXPECT_TRUE(std::isnan(largest) ? found_nan : bits == std::bit_cast<uint32_t>(largest)) << bits;
  }
}

}  // namespace
}  // namespace eglantine::test
