#include "lower/reduce/fixture.hpp"
#include "lower/reduce/schedule/any_order.hpp"

/// Column trees, by how many columns and blocks they have.
namespace eglantine::test {
namespace {

class ReduceColumnSchedules : public ReduceSchedules {};

TEST_F(ReduceColumnSchedules, columns_of_every_length_give_the_trees_bits) {
  for (int64_t length : {1, 7, 8, 13, 127, 128, 129, 1025, 20001}) {
    for (int64_t columns : {1, 4, 5, 130}) {
      if (columns * length < 300000) expect_the_trees_bits({length, columns}, layout::ReduceTree::column);
    }
  }
}

TEST_F(ReduceColumnSchedules, columns_that_keep_the_device_busy_give_the_trees_bits) {
  // As many accumulators as the device holds invocations: an invocation takes all eight of a block.
  for (const Shape& shape : {Shape{100, 2060}, Shape{2305, 128}}) {
    expect_the_trees_bits(shape, layout::ReduceTree::column);
    expect_the_trees_bits(shape, layout::ReduceTree::column, 14);
  }
}

TEST_F(ReduceColumnSchedules, groups_that_fuse_two_levels_of_columns_give_the_trees_bits) {
  // Enough columns for the device planned for; the last shape has several blocks of the second level.
  for (const Shape& shape : {Shape{129, 130}, Shape{191, 311}, Shape{400, 77}, Shape{1025, 261}, Shape{16385, 20}}) {
    hardware_->plan_for().resident_invocations = 256;
    expect_the_trees_bits(shape, layout::ReduceTree::column);
    expect_the_trees_bits(shape, layout::ReduceTree::column, 14);
  }
}

/// A level over axis 0 of (length, columns) floats.
lower::ReduceLevel columns_of(int64_t length, int64_t columns, Reduction reduction) {
  lower::ReduceLevel level;
  level.prologue = {{columns, length}, {{nullptr, StorageType::f32, {{columns, length}, {1, columns}, 0}}}, {}, {}, {}};
  level.prologue.code = {{Op::load, DType::f32, {0, -1, -1}}};
  level.kept_rank = 1;
  level.reduction = reduction;
  level.tree = layout::ReduceTree::column;
  level.two_level = true;
  level.kept = columns;
  level.length = length;
  return level;
}

TEST_F(ReduceColumnSchedules, groups_take_more_columns_where_these_have_few_blocks) {
  gl::Target& target = hardware_->plan_for();
  target.max_invocations = 1024;
  const auto vectors = [&](int64_t length, int64_t columns) {
    return lower::two_level_vectors(target, columns_of(length, columns, Reduction::sum));
  };
  EXPECT_EQ(vectors(191, 4 * 4096), 64);
  EXPECT_EQ(vectors(300, 4 * 4096), 32);
  EXPECT_EQ(vectors(600, 4 * 4096), 16);
  EXPECT_EQ(vectors(191, 4 * 128), 32);  // more would leave multiprocessors without a group
  EXPECT_EQ(vectors(191, 4 * 5), 8);
  // What no order changes needs no group for them.
  const auto is_alone = [&](int64_t length, int64_t columns, Reduction reduction) {
    return lower::worth_any_order(target, columns_of(length, columns, reduction));
  };
  EXPECT_TRUE(is_alone(191, 4 * 4096, Reduction::max));
  EXPECT_FALSE(is_alone(191, 4 * 4096, Reduction::sum));
  EXPECT_FALSE(is_alone(127, 4 * 4096, Reduction::max));
  EXPECT_FALSE(is_alone(191, 4 * 4095, Reduction::max));
  EXPECT_FALSE(is_alone(600, 4 * 4096, Reduction::max));
}

TEST_F(ReduceColumnSchedules, few_columns_give_the_trees_bits_in_one_level_and_in_two) {
  // From one vector of columns to sixteen, which is as many as a group has side by side.
  for (const int64_t resident : {int64_t{1} << 18, int64_t{256}})
    for (const Shape& shape : {Shape{33001, 1}, Shape{20001, 3}, Shape{16385, 6}, Shape{3000, 12}, Shape{2049, 61}}) {
      hardware_->plan_for().resident_invocations = resident;
      expect_the_trees_bits(shape, layout::ReduceTree::column);
      expect_the_trees_bits(shape, layout::ReduceTree::column, 14);
    }
}

TEST_F(ReduceColumnSchedules, groups_that_share_two_levels_of_columns_give_the_trees_bits) {
  // By one dispatch, up to 2^14 rows.
  for (const int64_t resident : {int64_t{1} << 18, int64_t{4096}})
    for (const Shape& shape :
         {Shape{129, 130}, Shape{300, 77}, Shape{1500, 9}, Shape{2305, 128}, Shape{16384, 20}, Shape{16385, 20}}) {
      hardware_->plan_for().resident_invocations = resident;
      for (const Reduction summing : {Reduction::sum, Reduction::custom}) {
        hardware_->dispatches = 0;
        expect_the_trees_bits(shape, layout::ReduceTree::column, summing == Reduction::sum ? 1 : 14, summing);
        const bool one = shape[0] <= layout::column_block * layout::column_block;
        if (one) {
          EXPECT_EQ(hardware_->dispatches, 2) << to_string(shape) << " with argmax";
        }
      }
    }
  EXPECT_EQ(download(*device_, device_->open_exchange()->storage(), lower::exchange_counters),
            Words(lower::exchange_counters));
}

TEST_F(ReduceColumnSchedules, the_last_rows_of_columns_are_loaded_at_once) {
  for (const Reduction reduction : {Reduction::sum, Reduction::argmax}) {
    hardware_->plan_for().resident_invocations = 1 << 18;
    const Strided x{buffer_of(*device_, Words(20001 * 67)), StorageType::f32, {{67, 20001}, {1, 67}, 0}};
    const DType dtype = reduction == Reduction::argmax ? DType::i32 : DType::f32;
    const Layout kept = layout::contiguous({67});
    const ReduceKernel kernel{{x.layout.shape, {x}, {}, {}, {{Op::load, DType::f32, {0, -1, -1}}}},
                              1,
                              reduction,
                              layout::ReduceTree::column,
                              {kept.shape, {}, {}, {}, {{Op::accumulator, dtype, {-1, -1, -1}}}},
                              {buffer_of(*device_, Words(67)), word_storage(dtype), kept}};
    const std::string text = glsl_of(hardware_->target(), kernel);
    EXPECT_NE(text.find("#define EG_EACH_LOAD(F) F(0, eg_x0)"), std::string::npos);
    EXPECT_NE(text.find("    EG_EACH_LOAD(EG_LOAD_INSIDE)\n"), std::string::npos);
  }
}

TEST_F(ReduceColumnSchedules, narrow_columns_give_the_trees_bits) {
  storage_ = StorageType::f16;
  // In one level, split, and in two levels, of which the last shape has several blocks of the second.
  for (const int64_t resident : {int64_t{1} << 18, int64_t{256}})
    for (const Shape& shape : {Shape{129, 130}, Shape{1025, 261}, Shape{2048, 68}, Shape{16385, 20}}) {
      hardware_->plan_for().resident_invocations = resident;
      expect_the_trees_bits(shape, layout::ReduceTree::column);
      expect_the_trees_bits(shape, layout::ReduceTree::column, 14);
    }
}

TEST_F(ReduceColumnSchedules, columns_of_whole_trips_give_the_trees_bits) {
  for (const Shape& shape : {Shape{64, 4104}, Shape{128, 4100}, Shape{4096, 132}, Shape{8192, 41}}) {
    hardware_->plan_for().resident_invocations = 1024;
    expect_the_trees_bits(shape, layout::ReduceTree::column);
  }
}

}  // namespace
}  // namespace eglantine::test
