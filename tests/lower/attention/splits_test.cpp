#include "lower/attention/splits.hpp"

#include "eglantine/half.hpp"
#include "layout/divide.hpp"
#include "lower/as_subgroups.hpp"
#include "lower/attention/attention_cases.hpp"
#include "lower/expressions.hpp"

/// Attention whose columns are split among groups, and merged.
namespace eglantine::test {
namespace {

using attention::Case;
using attention::Mask;
using attention::text_of;

class AttentionSplits : public attention::Fixture {
 protected:
  static constexpr int64_t of_many_multiprocessors = int64_t{132} * 2048;
};

/// Heads and rows too few for the device's groups, with ends of rows and columns inside a split.
TEST_F(AttentionSplits, few_heads_of_many_columns_are_merged) {
  Draw draw = draw_one_of(5);
  for (const Case& c :
       {Case{1, 70, 700, 40, 36}, Case{2, 300, 300, 60, 64, true}, Case{2, 50, 600, 33, 30, false, Mask::truths},
        Case{2, 300, 310, 64, 20, true, Mask::floats, 2, 1},
        Case{1, 90, 900, 64, 5, false, Mask::none, 1, 1, StorageType::f16, true}}) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_);
    hardware.plan_for().resident_invocations = of_many_multiprocessors;
    const Data data = data_of(c);
    expect_results(hardware, c, data, kernel_of(c, data));
    EXPECT_EQ(hardware.dispatches, 3) << text_of(c);
  }
}

/// Rows before a causal split's first column see nothing of it, and some see nothing at all.
TEST_F(AttentionSplits, rows_that_see_no_column_of_a_split) {
  const Case c{1, 256, 256, 64, 64, true, Mask::truths};
  AsHardware hardware(*device_);
  hardware.plan_for().resident_invocations = of_many_multiprocessors;
  Data data = data_of(c);
  for (size_t i = 0; i < data.mask.values.size(); ++i)
    if (i / 256 % 3 == 1) data.mask.values[i] = 0;
  expect_results(hardware, c, data, kernel_of(c, data));
  EXPECT_EQ(hardware.dispatches, 3);
}

/// Scores that are all -infinity make a row NaN where it sees nothing else, whatever split they are in, and count for
/// nothing beside others.
TEST_F(AttentionSplits, visible_infinities_are_those_of_a_whole_row) {
  Draw draw = draw_one_of(2);
  for (const bool all : {false, true}) {
    if (!draw.next()) continue;
    const Case c{1, 256, 256, 64, 64, true};
    Data data = data_of(c);
    for (double& x : data.q.values) x = 1 + std::abs(x);
    for (int64_t column = 0; column < c.columns; ++column)
      if (all || column >= 128)
        for (int64_t f = 0; f < c.features; ++f)
          data.k.values[static_cast<size_t>(column * c.features + f)] = -std::numeric_limits<double>::infinity();
    AttentionKernel kernel = kernel_of(c, data);
    AsHardware hardware(*device_);
    hardware.plan_for().resident_invocations = of_many_multiprocessors;
    hardware.run(kernel);
    EXPECT_EQ(hardware.dispatches, 3);
    const Array found = downloaded(kernel.out, {c.heads, c.rows, c.results});
    for (const double x : found.values) ASSERT_EQ(std::isnan(x), all);
  }
}

/// A mask that moves all scores far down leaves them equal, and each column counts as much in any split.
TEST_F(AttentionSplits, scores_that_are_equal_and_large) {
  const Case c{1, 70, 700, 8, 64, false, Mask::floats};
  Data data = data_of(c);
  for (double& x : data.q.values) x = 0;
  for (double& x : data.mask.values) x = -1e9;
  AsHardware hardware(*device_);
  hardware.plan_for().resident_invocations = of_many_multiprocessors;
  expect_results(hardware, c, data, kernel_of(c, data));
  EXPECT_EQ(hardware.dispatches, 3);
}

/// Rows whose lanes are in a subgroup, of the form of rows and of tiles, and many splits.
TEST_F(AttentionSplits, by_subgroups) {
  Draw draw = draw_one_of(3);
  for (const Case& c : {Case{1, 64, 1200, 16, 12, false}, Case{1, 600, 600, 9, 16, true}, Case{1, 17, 2500, 64, 24}}) {
    if (!draw.next()) continue;
    AsSubgroups target(*device_, of_many_multiprocessors);
    if (device_->target().subgroup != 32) target.plan_for().max_invocations = 128;
    target.plan_for().max_loop_trips = 0;
    expect_results(target, c, data_of(c), kernel_of(c, data_of(c)));
    EXPECT_EQ(target.dispatches, 3) << text_of(c);
  }
}

/// An epilogue, a narrow result, and one that lies otherwise than heads, rows and results follow one another.
TEST_F(AttentionSplits, merged_into_any_result) {
  const Case c{2, 40, 512, 12, 8};
  const Data data = data_of(c);
  const Array expected = naive::attention(data.q, data.k, data.v, scale_of(c), {nullptr, false});
  AttentionKernel kernel = kernel_of(c, data);
  kernel.second = {};
  kernel.epilogue = lower::accumulator_over({c.heads, c.rows, c.results}, DType::f32);
  kernel.out.layout = {{c.heads, c.rows, c.results}, {c.results, c.heads * c.results, 1}, 0};
  AsHardware hardware(*device_);
  hardware.plan_for().resident_invocations = of_many_multiprocessors;
  hardware.run(kernel);
  EXPECT_EQ(hardware.dispatches, 2);
  const Array found = downloaded(kernel.out, {c.rows, c.heads, c.results});
  for (int64_t h = 0; h < c.heads; ++h)
    for (int64_t r = 0; r < c.rows; ++r)
      for (int64_t e = 0; e < c.results; ++e) ASSERT_NEAR(found.at({r, h, e}), expected.at({h, r, e}), 4e-6);

  AttentionKernel narrow = kernel_of(c, data);
  narrow.second = {};
  const auto words = static_cast<size_t>(c.heads * c.rows * c.results / 2);
  narrow.out = {buffer_of(*device_, Words(words + 4, untouched)), StorageType::f16,
                layout::contiguous({c.heads * c.rows * c.results})};
  AsHardware halves(*device_);
  halves.plan_for().resident_invocations = of_many_multiprocessors;
  halves.run(narrow);
  EXPECT_EQ(halves.dispatches, 2);
  const Words stored = download(*device_, narrow.out.buffer->storage(), words + 4);
  for (size_t i = 0; i < words; ++i)
    for (size_t part = 0; part < 2; ++part)
      ASSERT_NEAR(float(half::from_bits(static_cast<uint16_t>(stored[i] >> (16 * part)))),
                  expected.values[2 * i + part], 1e-3);
  for (size_t i = words; i < words + 4; ++i) EXPECT_EQ(stored[i], untouched);

  AttentionKernel doubled = kernel_of(c, data);
  doubled.second = {};
  ExpressionBuilder builder({c.heads * c.rows * c.results});
  const int x = builder.accumulator(DType::f32);
  builder.end_with(builder.operation(Op::add, DType::f32, {x, x, -1}));
  doubled.epilogue = builder.take();
  AsHardware again(*device_);
  again.plan_for().resident_invocations = of_many_multiprocessors;
  again.run(doubled);
  EXPECT_EQ(again.dispatches, 3);
  const Array twice = downloaded(doubled.out, {c.heads, c.rows, c.results});
  for (size_t i = 0; i < twice.values.size(); ++i) ASSERT_NEAR(twice.values[i], 2 * expected.values[i], 8e-6);
}

TEST_F(AttentionSplits, only_where_groups_are_too_few) {
  AsSubgroups target(*device_, of_many_multiprocessors);
  target.plan_for().max_loop_trips = 0;
  for (const int64_t features : {8, 32, 64, 96, 128})
    for (const bool causal : {false, true})
      for (int64_t length = 300; length < 9000; length = length * 3 / 2) {
        SCOPED_TRACE(text({features, length, causal ? 1 : 0}));
        AttentionKernel kernel;
        kernel.rows = kernel.columns = length;
        kernel.features = kernel.results = features;
        kernel.causal = causal;
        int64_t before = std::numeric_limits<int64_t>::max();
        for (const int64_t heads : {1, 8, 64, 512}) {
          kernel.heads = heads;
          const lower::AttentionTile tile = lower::attention_tile(target.target(), kernel);
          const int64_t columns = lower::split_columns(target.target(), kernel, tile);
          const int64_t count = columns == 0 ? 1 : ceil_divide(length, columns);
          EXPECT_EQ(columns % tile.tile_columns(), 0);
          EXPECT_LE(count, before) << heads << " heads";
          before = count;
          if (heads == 1 && length > 1000 && length < 4000) {
            EXPECT_GT(count, 1);
          }
          if (heads == 512) {
            EXPECT_EQ(count, 1);
          }
        }
      }
}

}  // namespace
}  // namespace eglantine::test
