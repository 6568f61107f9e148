#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "layout/layout.hpp"
#include "lower/as_subgroups.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/any_order.hpp"
#include "lower/schedules.hpp"
#include "support/custom_ops.hpp"
#include "support/reference/tree_simulation.hpp"

/// The schedules for hardware, on any device: they give the bits of plain loops too.
namespace eglantine::test {
namespace {

class Schedules : public testing::Test {
 protected:
  Schedules() : device_(open_runtime()), hardware_(std::make_unique<AsHardware>(*device_)) {}

  /// sum, argmax or a custom sum over axis 1 (rows) or axis 0 (columns) of a (rows, columns) tensor, times `factors`
  /// ones.
  std::vector<uint32_t> reduced(const std::vector<float>& x, Shape shape, layout::ReduceTree tree, Reduction reduction,
                                int factors) {
    const bool row = tree == layout::ReduceTree::row;
    const int64_t kept = shape[row ? 0 : 1], length = shape[row ? 1 : 0];
    const Layout layout{{kept, length}, {row ? length : 1, row ? 1 : kept}, 0};
    ReduceKernel kernel;
    kernel.prologue = {layout.shape,
                       {{buffer_of(*device_, words_of(x)), storage_, layout}},
                       {},
                       {{std::bit_cast<uint32_t>(1.0F)}},
                       {}};
    kernel.prologue.code = {{Op::load, DType::f32, {0, -1, -1}}, {Op::parameter, DType::f32, {0, -1, -1}}};
    for (int i = 0; i < factors; ++i) {
      const int32_t last = i == 0 ? 0 : static_cast<int32_t>(kernel.prologue.code.size()) - 1;
      kernel.prologue.code.push_back({Op::mul, DType::f32, {last, 1, -1}});
    }
    kernel.kept_rank = 1;
    kernel.reduction = reduction;
    if (reduction == Reduction::custom) kernel.custom = std::make_shared<const ReduceOp>(plus());
    kernel.tree = tree;
    const DType dtype = reduction == Reduction::argmax ? DType::i32 : DType::f32;
    kernel.epilogue = {{kept}, {}, {}, {}, {{Op::accumulator, dtype, {-1, -1, -1}}}};
    kernel.out = {buffer_of(*device_, std::vector<uint32_t>(static_cast<size_t>(kept))), word_storage(dtype),
                  layout::contiguous({kept})};
    hardware_->run(kernel);
    return download(*device_, kernel.out.buffer->storage(), static_cast<size_t>(kept));
  }

  void expect_the_trees_bits(Shape shape, layout::ReduceTree tree, int factors = 1,
                             Reduction summing = Reduction::sum) {
    const bool row = tree == layout::ReduceTree::row;
    const int64_t kept = shape[row ? 0 : 1], length = shape[row ? 1 : 0];
    std::vector<float> x;
    for (int64_t i = 0; i < kept * length; ++i) x.push_back(static_cast<float>((i * 7919) % 10007) / 10007.0F - 0.4F);
    if (storage_ == StorageType::f16)
      for (float& value : x) value = static_cast<float>(half(value));
    const std::vector<uint32_t> bits = reduced(x, shape, tree, summing, factors);
    const std::vector<uint32_t> places = reduced(x, shape, tree, Reduction::argmax, factors);
    for (int64_t k = 0; k < kept; ++k) {
      std::vector<float> run;
      for (int64_t e = 0; e < length; ++e) run.push_back(x[static_cast<size_t>(row ? k * length + e : e * kept + k)]);
      const auto largest = static_cast<uint32_t>(std::max_element(run.begin(), run.end()) - run.begin());
      const float expected = row ? row_tree_sum(run) : column_tree_sum(run);
      ASSERT_EQ(bits[static_cast<size_t>(k)], std::bit_cast<uint32_t>(expected)) << to_string(shape) << " at " << k;
      ASSERT_EQ(places[static_cast<size_t>(k)], largest) << to_string(shape) << " at " << k;
    }
  }

  Words words_of(const std::vector<float>& x) const {
    Words words;
    for (float value : x) words.push_back(std::bit_cast<uint32_t>(value));
    return storage_ == StorageType::f16 ? packed(words, storage_) : words;
  }

  std::unique_ptr<gl::GlRuntime> device_;
  std::unique_ptr<AsHardware> hardware_;
  StorageType storage_ = StorageType::f32;
};

TEST_F(Schedules, rows_of_every_length_give_the_trees_bits) {
  for (int64_t length : {1, 3, 4, 13, 64, 127, 256, 257, 1025, 8192, 8193, 70001}) {
    for (int64_t rows : {1, 3, 70}) {
      if (rows * length < 300000) expect_the_trees_bits({rows, length}, layout::ReduceTree::row);
    }
  }
}

TEST_F(Schedules, many_short_rows_share_groups) {
  expect_the_trees_bits({5003, 5}, layout::ReduceTree::row);
  expect_the_trees_bits({2001, 64}, layout::ReduceTree::row);
}

TEST_F(Schedules, many_rows_of_a_few_lanes_give_the_trees_bits) {
  for (const StorageType storage : {StorageType::f32, StorageType::f16})
    for (const int64_t length : {1, 2, 3, 4, 5, 8, 9, 13, 16, 19, 31, 32, 33, 50, 63, 64}) {
      storage_ = storage;
      hardware_->plan_for().resident_invocations = 256;
      expect_the_trees_bits({length % 2 == 0 ? 1030 : 515, length}, layout::ReduceTree::row);
      if (length == 19) expect_the_trees_bits({515, length}, layout::ReduceTree::row, 14);
    }
}

TEST_F(Schedules, short_rows_that_begin_anywhere_are_in_shared_memory) {
  gl::Target& target = hardware_->plan_for();
  target.resident_invocations = 256;
  const auto pattern = [&](int64_t rows, int64_t length, Reduction reduction = Reduction::sum, int64_t pitch = 0) {
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
  };
  using Pattern = lower::ReducePattern;
  for (const int64_t length : {3, 5, 26, 63}) EXPECT_EQ(pattern(515, length), Pattern::row_staged) << length;
  for (const int64_t length : {2, 4, 24, 64}) EXPECT_EQ(pattern(515, length), Pattern::row_short) << length;
  EXPECT_EQ(pattern(515, 26, Reduction::argmax), Pattern::row_short);
  EXPECT_EQ(pattern(515, 26, Reduction::sum, 27), Pattern::row_short);
  EXPECT_EQ(pattern(31, 63), Pattern::row_short);
  // Windows of them begin at whole vectors.
  target.max_block_bytes = 1 << 14;
  for (const Shape& shape : {Shape{5003, 19}, Shape{2051, 3}, Shape{901, 62}})
    expect_the_trees_bits(shape, layout::ReduceTree::row);
}

TEST_F(Schedules, many_rows_of_subgroups_give_the_trees_bits) {
  hardware_ = std::make_unique<AsSubgroups>(*device_, 256);
  for (const StorageType storage : {StorageType::f32, StorageType::f16})
    for (const int64_t length :
         {125, 128, 129, 131, 256, 257, 317, 384, 700, 1000, 1024, 1025, 1500, 8192, 8193, 8203}) {
      storage_ = storage;
      const int64_t rows = length > 2000 ? 9 : length % 2 == 0 ? 31 : 37;
      expect_the_trees_bits({rows, length}, layout::ReduceTree::row);
      if (length < 400) expect_the_trees_bits({rows, length}, layout::ReduceTree::row, length % 4 == 0 ? 14 : 7);
      if (length == 317) expect_the_trees_bits({rows, length}, layout::ReduceTree::row, 1, Reduction::custom);
    }
}

TEST_F(Schedules, columns_of_every_length_give_the_trees_bits) {
  for (int64_t length : {1, 7, 8, 13, 127, 128, 129, 1025, 20001}) {
    for (int64_t columns : {1, 4, 5, 130}) {
      if (columns * length < 300000) expect_the_trees_bits({length, columns}, layout::ReduceTree::column);
    }
  }
}

TEST_F(Schedules, columns_that_keep_the_device_busy_give_the_trees_bits) {
  // As many accumulators as the device holds invocations: an invocation takes all eight of a block.
  for (const Shape& shape : {Shape{100, 2060}, Shape{2305, 128}}) {
    expect_the_trees_bits(shape, layout::ReduceTree::column);
    expect_the_trees_bits(shape, layout::ReduceTree::column, 14);
  }
}

TEST_F(Schedules, groups_that_fuse_two_levels_of_columns_give_the_trees_bits) {
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

TEST_F(Schedules, groups_take_more_columns_where_these_have_few_blocks) {
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

/// Of few columns an invocation takes one: what is largest is found in whatever line, also in the last ones.
TEST_F(Schedules, few_columns_are_taken_singly_where_no_order_changes_a_result) {
  for (const int64_t resident : {int64_t{1} << 18, int64_t{256}})
    for (const int64_t columns : {1, 2, 3, 5, 7})
      for (const int64_t rows : {129, 513, 600, 2049, 20001}) {
        hardware_->plan_for().resident_invocations = resident;
        std::vector<float> x(static_cast<size_t>(rows * columns));
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 10007);
        std::vector<uint32_t> expected(static_cast<size_t>(columns));
        for (int64_t c = 0; c < columns; ++c) {
          // Twice: the first counts.
          const int64_t first = (rows - 1) * (c + 1) / (columns + 1);
          for (const int64_t row : {first, rows - 1}) x[static_cast<size_t>(row * columns + c)] = 20000;
          expected[static_cast<size_t>(c)] = static_cast<uint32_t>(first);
        }
        EXPECT_EQ(reduced(x, {rows, columns}, layout::ReduceTree::column, Reduction::argmax, 1), expected)
            << rows << " x " << columns;
        EXPECT_NE(hardware_->names.find("reduce_column_singly argmax f32"), std::string::npos) << hardware_->names;
        for (const int64_t last : {rows - 2, rows - 1}) {
          x.assign(x.size(), -std::numeric_limits<float>::infinity());
          for (int64_t c = 0; c < columns; ++c) x[static_cast<size_t>(last * columns + c)] = -3;
          expected.assign(expected.size(), static_cast<uint32_t>(last));
          EXPECT_EQ(reduced(x, {rows, columns}, layout::ReduceTree::column, Reduction::argmax, 1), expected);
        }
      }
}

/// One dispatch finds the largest of more elements than a group takes, as of a column.
TEST_F(Schedules, one_row_is_a_column_where_no_order_changes_a_result) {
  hardware_->plan_for().resident_invocations = 1 << 18;
  hardware_->plan_for().large_pages = false;  // where a single pass is for largest elements, too
  const auto names_of = [&](int64_t length, Reduction reduction) {
    std::vector<float> x(static_cast<size_t>(length), -1.0F);
    x[static_cast<size_t>(length - 2)] = x[static_cast<size_t>(length - 1)] = 5;
    hardware_->names.clear();
    const uint32_t expected =
        reduction == Reduction::max ? std::bit_cast<uint32_t>(5.0F) : static_cast<uint32_t>(length - 2);
    EXPECT_EQ(reduced(x, {1, length}, layout::ReduceTree::row, reduction, 1), std::vector<uint32_t>{expected});
    return hardware_->names;
  };
  for (const int64_t length : {131073, 496487, 3000001}) {
    EXPECT_EQ(names_of(length, Reduction::argmax), "reduce_column_singly argmax f32\n");
    EXPECT_EQ(names_of(length, Reduction::max), "reduce_column_singly max f32\n");
  }
  EXPECT_EQ(names_of(131072, Reduction::max), "reduce_row max f32\n");
}

/// So do groups whose last one combines what all have, however few they are.
TEST_F(Schedules, one_row_in_a_single_pass_gives_the_trees_bits) {
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

TEST_F(Schedules, few_columns_give_the_trees_bits_in_one_level_and_in_two) {
  // From one vector of columns to sixteen, which is as many as a group has side by side.
  for (const int64_t resident : {int64_t{1} << 18, int64_t{256}})
    for (const Shape& shape : {Shape{33001, 1}, Shape{20001, 3}, Shape{16385, 6}, Shape{3000, 12}, Shape{2049, 61}}) {
      hardware_->plan_for().resident_invocations = resident;
      expect_the_trees_bits(shape, layout::ReduceTree::column);
      expect_the_trees_bits(shape, layout::ReduceTree::column, 14);
    }
}

TEST_F(Schedules, groups_that_share_two_levels_of_columns_give_the_trees_bits) {
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

TEST_F(Schedules, the_last_rows_of_columns_are_loaded_at_once) {
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

TEST_F(Schedules, the_largest_of_many_rows_is_found_by_one_dispatch) {
  const auto dispatches = [&](Shape shape) {
    hardware_->dispatches = 0;
    const auto places = reduced(std::vector<float>(static_cast<size_t>(shape.elements()), 1.0F), shape,
                                layout::ReduceTree::column, Reduction::argmax, 1);
    EXPECT_EQ(places, std::vector<uint32_t>(places.size())) << to_string(shape);
    return hardware_->dispatches;
  };
  // Tiles of one group, and of several, which count in an exchange.
  for (const bool large_pages : {false, true}) {
    hardware_->plan_for().large_pages = large_pages;
    for (const Shape& shape :
         {Shape{129, 2060}, Shape{130, 65700}, Shape{5003, 2}, Shape{20001, 13}, Shape{3001, 130}, Shape{20001, 67}})
      EXPECT_EQ(dispatches(shape), 1) << to_string(shape);
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(download(*device_, device_->open_exchange()->storage(), lower::exchange_counters),
              Words(lower::exchange_counters))
        << i;
}

TEST_F(Schedules, the_largest_value_of_many_rows_is_found_by_one_dispatch_and_nan_wins) {
  constexpr int64_t length = 20001, kept = 13;
  std::vector<float> x(static_cast<size_t>(length * kept), -std::numeric_limits<float>::infinity());
  for (size_t c = 1; c < kept; ++c) x[(c * 1500) * kept + c] = -1 - static_cast<float>(c);
  x[19990 * kept + 3] = std::numeric_limits<float>::quiet_NaN();
  hardware_->dispatches = 0;
  const std::vector<uint32_t> bits = reduced(x, {length, kept}, layout::ReduceTree::column, Reduction::max, 1);
  EXPECT_EQ(hardware_->dispatches, 1);
  for (size_t c = 0; c < kept; ++c) {
    const auto largest = std::bit_cast<float>(bits[c]);
    if (c == 3)
      EXPECT_TRUE(std::isnan(largest)) << bits[c];
    else
      EXPECT_EQ(largest, c == 0 ? x[0] : -1 - static_cast<float>(c));
  }
}

TEST_F(Schedules, integers_of_many_rows_are_combined_by_one_dispatch) {
  for (const Shape& shape : {Shape{5003, 2}, Shape{20001, 13}, Shape{3001, 130}}) {
    const int64_t length = shape[0], kept = shape[1];
    Words words;
    for (int64_t i = 0; i < length * kept; ++i) words.push_back(static_cast<uint32_t>(i * 2654435761));
    for (Reduction reduction : {Reduction::sum, Reduction::max}) {
      const Layout layout{{kept, length}, {1, kept}, 0};
      ReduceKernel kernel;
      kernel.prologue = {layout.shape,
                         {{buffer_of(*device_, words), StorageType::u32, layout}},
                         {},
                         {},
                         {{Op::load, DType::u32, {0, -1, -1}}}};
      kernel.kept_rank = 1;
      kernel.reduction = reduction;
      kernel.tree = layout::ReduceTree::column;
      kernel.epilogue = {{kept}, {}, {}, {}, {{Op::accumulator, DType::u32, {-1, -1, -1}}}};
      kernel.out = {buffer_of(*device_, Words(static_cast<size_t>(kept))), StorageType::u32,
                    layout::contiguous({kept})};
      hardware_->dispatches = 0;
      hardware_->run(kernel);
      EXPECT_EQ(hardware_->dispatches, 1) << to_string(shape);
      Words expected(static_cast<size_t>(kept));
      for (size_t i = 0; i < words.size(); ++i) {
        uint32_t& total = expected[i % static_cast<size_t>(kept)];
        total = reduction == Reduction::sum ? total + words[i] : std::max(total, words[i]);
      }
      EXPECT_EQ(download(*device_, kernel.out.buffer->storage(), expected.size()), expected) << to_string(shape);
    }
  }
}

TEST_F(Schedules, narrow_columns_give_the_trees_bits) {
  storage_ = StorageType::f16;
  // In one level, split, and in two levels, of which the last shape has several blocks of the second.
  for (const int64_t resident : {int64_t{1} << 18, int64_t{256}})
    for (const Shape& shape : {Shape{129, 130}, Shape{1025, 261}, Shape{2048, 68}, Shape{16385, 20}}) {
      hardware_->plan_for().resident_invocations = resident;
      expect_the_trees_bits(shape, layout::ReduceTree::column);
      expect_the_trees_bits(shape, layout::ReduceTree::column, 14);
    }
}

TEST_F(Schedules, narrow_rows_give_the_trees_bits) {
  storage_ = StorageType::f16;
  for (const Shape& shape :
       {Shape{70, 3}, Shape{70, 64}, Shape{70, 257}, Shape{3, 8193}, Shape{3, 70001}, Shape{1, 140001}})
    expect_the_trees_bits(shape, layout::ReduceTree::row);
}

TEST_F(Schedules, groups_of_one_round_give_the_trees_bits) {
  hardware_->plan_for().large_pages = true;
  expect_the_trees_bits({3, 70001}, layout::ReduceTree::row);
  expect_the_trees_bits({1, 140001}, layout::ReduceTree::row);
  expect_the_trees_bits({2001, 64}, layout::ReduceTree::row);
  expect_the_trees_bits({128, 1030}, layout::ReduceTree::column);
}

TEST_F(Schedules, columns_of_whole_trips_give_the_trees_bits) {
  for (const Shape& shape : {Shape{64, 4104}, Shape{128, 4100}, Shape{4096, 132}, Shape{8192, 41}}) {
    hardware_->plan_for().resident_invocations = 1024;
    expect_the_trees_bits(shape, layout::ReduceTree::column);
  }
}

TEST_F(Schedules, the_last_group_combines_what_the_others_left_of_a_long_row) {
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

TEST_F(Schedules, what_groups_left_may_be_more_than_a_block) {
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

TEST_F(Schedules, a_long_rows_largest_element_is_found_and_nan_wins) {
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

TEST_F(Schedules, long_prologues_give_the_trees_bits) {
  expect_the_trees_bits({1025, 13}, layout::ReduceTree::column, 14);
  expect_the_trees_bits({13, 9001}, layout::ReduceTree::row, 14);
}

TEST_F(Schedules, a_users_own_sum_gives_the_trees_bits) {
  for (int factors : {1, 14}) {
    expect_the_trees_bits({1025, 13}, layout::ReduceTree::column, factors, Reduction::custom);
    expect_the_trees_bits({13, 9001}, layout::ReduceTree::row, factors, Reduction::custom);
  }
}

/// Results in the order of memory: of operands that lie in any order of axes, repeat along kept axes or go backwards.
class KeptOrder : public Schedules {
 protected:
  /// By `reduction` over the last axis of x, which has three; what each element is read from is `layout`.
  std::vector<uint32_t> reduced_over(const Layout& layout, Reduction reduction, layout::ReduceTree tree) {
    std::vector<float> x;
    for (int64_t i = 0; i < elements_of(layout); ++i) x.push_back(static_cast<float>((i * 7919) % 10007) - 4000.0F);
    const Shape kept{layout.shape[0], layout.shape[1]};
    const DType dtype = reduction == Reduction::argmax ? DType::i32 : DType::f32;
    ReduceKernel kernel;
    kernel.prologue = lower::load_of({buffer_of(*device_, words_of(x)), StorageType::f32, layout});
    kernel.kept_rank = 2;
    kernel.reduction = reduction;
    kernel.tree = tree;
    kernel.epilogue = lower::accumulator_over({kept.elements()}, dtype);
    kernel.out = {buffer_of(*device_, Words(static_cast<size_t>(kept.elements()))), word_storage(dtype),
                  layout::contiguous({kept.elements()})};
    const std::vector<uint32_t> expected = expected_of(layout, x, reduction, tree);
    hardware_->run(kernel);
    const std::vector<uint32_t> results = download(*device_, kernel.out.buffer->storage(), expected.size());
    EXPECT_EQ(results, expected) << to_string(layout.shape) << " by " << testing::PrintToString(layout.strides);
    return results;
  }

  static int64_t elements_of(const Layout& layout) { return layout::reach(layout).last + 1; }

  static std::vector<uint32_t> expected_of(const Layout& layout, const std::vector<float>& x, Reduction reduction,
                                           layout::ReduceTree tree) {
    std::vector<uint32_t> all;
    for (int64_t i = 0; i < layout.shape[0]; ++i)
      for (int64_t j = 0; j < layout.shape[1]; ++j) {
        std::vector<float> run;
        for (int64_t e = 0; e < layout.shape[2]; ++e)
          run.push_back(x[static_cast<size_t>(layout::address(layout, {i, j, e}))]);
        const auto largest = std::max_element(run.begin(), run.end());
        const float sum = tree == layout::ReduceTree::row ? row_tree_sum(run) : column_tree_sum(run);
        if (reduction == Reduction::argmax)
          all.push_back(static_cast<uint32_t>(largest - run.begin()));
        else
          all.push_back(std::bit_cast<uint32_t>(reduction == Reduction::sum ? sum : *largest));
      }
    return all;
  }
};

TEST_F(KeptOrder, of_any_layout_gives_the_trees_bits) {
  const int64_t a = 37, b = 129, n = 70;
  const std::vector<Layout> layouts{{{a, b, n}, {1, a, a * b}, 0},      {{a, b, n}, {1, a * n, a}, 0},
                                    {{a, b, n}, {n, a * n, 1}, 0},      {{a, b, n}, {0, n, 1}, 0},
                                    {{a, b, n}, {1, 0, a}, 0},          {{a, b, n}, {0, 0, 1}, 0},
                                    {{a, b, n}, {b * n, n, -1}, n - 1}, {{a, b, n}, {1, a, -a * b}, a * b * (n - 1)},
                                    {{a, b, n}, {-1, a * n, a}, a - 1}};
  for (const Layout& layout : layouts)
    for (const layout::ReduceTree tree : {layout::ReduceTree::row, layout::ReduceTree::column})
      for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::argmax})
        reduced_over(layout, reduction, tree);
}

TEST_F(KeptOrder, is_that_of_memory_on_hardware) {
  const int64_t a = 370, b = 129, n = 70;
  lower::Target target = hardware_->plan_for();
  const auto steps = [&](const std::vector<int64_t>& strides) {
    ReduceKernel kernel;
    kernel.prologue = lower::load_of({gl::unstored(a * b * n * 4), StorageType::f32, {{a, b, n}, strides, 0}});
    kernel.kept_rank = 2;
    kernel.reduction = Reduction::sum;
    kernel.epilogue = lower::accumulator_over({a * b}, DType::f32);
    kernel.out = {gl::unstored(a * b * 4), StorageType::f32, layout::contiguous({a * b})};
    std::string names;
    for (const lower::Step& step : lower::lower(kernel, target, &gl::unstored).steps)
      names += std::get<lower::Dispatch>(step).name + "; ";
    return names;
  };
  EXPECT_EQ(steps({b * n, n, 1}), "reduce_row sum f32; ");
  // What lies across the rows is transposed before.
  EXPECT_EQ(steps({b, 1, a * b}), "map_transpose f32; reduce_row sum f32; ");
  EXPECT_EQ(steps({1, a, a * b}), "map_transpose f32; reduce_row sum f32; map_transpose f32; ");
  EXPECT_EQ(steps({n, 0, 1}), "reduce_row sum f32; map f32; ");
}

}  // namespace
}  // namespace eglantine::test
