#include "lower/attention/schedule.hpp"

#include <bit>
#include <limits>

#include "layout/divide.hpp"
#include "lower/as_subgroups.hpp"
#include "lower/attention/attention_cases.hpp"

/// Attention by the schedules for hardware, on any device, and in parts.
namespace eglantine::test {
namespace {

using attention::Case;
using attention::Mask;
using attention::text_of;

class AttentionSchedules : public attention::Fixture {
 protected:
  static void expect_attention(AsTarget& target, const Case& c) { expect_attention_of(target, c, data_of(c)); }

  /// Of (heads, lines, elements), with heads, then lines, as the innermost axes in memory.
  static Strided heads_innermost(const Array& x, StorageType storage) {
    const int64_t heads = x.shape[0], lines = x.shape[1], elements = x.shape[2];
    const Array other = generate(DType::f32, {elements, lines, heads}, [&](const Dims& at) {
      return x.at({at[2], at[1], at[0]});
    });
    return {uploaded(other, storage), storage, {Shape(x.shape), {1, heads, heads * lines}, 0}};
  }

  static void expect_attention_of(AsTarget& target, const Case& c, const Data& data) {
    expect_results(target, c, data, kernel_of(c, data));
  }
};

// Each width of a tile, with whole tiles and with edges of rows, columns, features and results.
TEST_F(AttentionSchedules, one_dispatch_whatever_the_lengths) {
  Draw draw = draw_one_of(3);
  for (const Case& c :
       {Case{2, 5, 7, 8, 4}, Case{1, 1, 1, 1, 1}, Case{2, 64, 64, 64, 64}, Case{1, 70, 131, 33, 60, true},
        Case{3, 130, 65, 20, 61, true, Mask::truths}, Case{1, 33, 40, 100, 100, false, Mask::floats},
        Case{2, 20, 70, 128, 128, true}, Case{1, 35, 129, 256, 256, true, Mask::floats}, Case{1, 9, 13, 5, 130},
        Case{4, 17, 66, 12, 8, true, Mask::none, 2, 4}, Case{6, 5, 9, 4, 12, false, Mask::truths, 3, 2},
        Case{2, 40, 50, 16, 24, true, Mask::none, 1, 1, StorageType::f16},
        Case{2, 40, 50, 15, 23, true, Mask::none, 2, 1, StorageType::f16},
        Case{2, 40, 50, 16, 24, false, Mask::floats, 1, 1, StorageType::f32, true}}) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_);
    AsSubgroups subgroups(*device_, 1024);
    for (AsTarget* target : {static_cast<AsTarget*>(&hardware), static_cast<AsTarget*>(&subgroups)}) {
      expect_attention(*target, c);
      EXPECT_EQ(target->dispatches, 1);
    }
  }
}

// Tiles of four and of eight rows an invocation, in 24, 16 and 6 KiB.
TEST_F(AttentionSchedules, tiles_of_each_size) {
  struct Size {
    int64_t resident, bytes, results;
    int rows;
  };
  Draw draw = draw_one_of(3);
  for (const auto& [resident, bytes, results, rows] : {Size{1024, 49152, 12, 8},
                                                       {1024, 16384, 200, 8},
                                                       {1024, 6144, 100, 8},
                                                       {1 << 20, 49152, 200, 4},
                                                       {1 << 20, 16384, 100, 4},
                                                       {1 << 20, 6144, 12, 4}}) {
    if (!draw.next()) continue;
    AsHardware hardware(*device_, resident);
    hardware.plan_for().max_shared_bytes = bytes;
    const Case c{3, 140, 75, 20, results, results > 64};  // of fewer, causal tiles as short have four
    const lower::AttentionTile tile = lower::attention_tile(hardware.target(), kernel_of(c, data_of(c)));
    EXPECT_LE(16 * tile.shared_vectors(), bytes);
    EXPECT_EQ(tile.rows, rows);
    expect_attention(hardware, c);
  }
}

// Up to 24 vectors of results are eight lanes', three each; up to 32 sixteen's, which take eight columns each of many.
TEST_F(AttentionSchedules, tiles_of_three_vectors_a_lane_and_of_many_columns) {
  struct Tile {
    Case c;
    int lanes, score_vectors, result_vectors;
  };
  for (const auto& [c, lanes, score_vectors, result_vectors] :
       {Tile{{2, 140, 75, 20, 90, true}, 8, 2, 3}, Tile{{2, 140, 75, 20, 90}, 16, 1, 2},
        Tile{{1, 130, 530, 12, 100}, 16, 2, 2}, Tile{{1, 130, 511, 12, 100, true}, 16, 1, 2},
        Tile{{2, 128, 40, 128, 128}, 16, 1, 2}}) {
    AsHardware hardware(*device_, 1024);
    const lower::AttentionTile tile = lower::attention_tile(hardware.target(), kernel_of(c, data_of(c)));
    EXPECT_EQ(tile.form, lower::AttentionTile::Form::tile) << text_of(c);
    EXPECT_EQ(tile.lanes_x, lanes) << text_of(c);
    EXPECT_EQ(tile.score_vectors, score_vectors) << text_of(c);
    EXPECT_EQ(tile.result_vectors, result_vectors) << text_of(c);
    expect_attention(hardware, c);
  }
}

// Short heads' rows in registers: one to eight lanes a row, one to four rows a lane, whole and with edges.
TEST_F(AttentionSchedules, rows_in_registers) {
  struct Rows {
    Case c;
    int64_t resident;
    int lanes, rows;
  };
  constexpr int64_t idle = 1 << 24, busy = 2048;
  Draw draw = draw_one_of(4);
  for (const auto& [c, resident, lanes, rows] :
       {Rows{{3, 70, 33, 16, 16}, idle, 1, 1}, Rows{{2, 200, 45, 9, 13, true}, idle, 1, 1},
        Rows{{40, 288, 21, 4, 8, true, Mask::truths}, busy, 1, 3},
        Rows{{90, 64, 50, 15, 3, false, Mask::floats}, busy, 1, 2},
        Rows{{60, 96, 40, 16, 12, false, Mask::none, 3, 2, StorageType::f16, true}, busy, 1, 3},
        Rows{{750, 64, 9, 32, 20, true, Mask::truths}, idle, 2, 1}, Rows{{600, 40, 4, 50, 64}, idle, 4, 1},
        Rows{{200, 60, 7, 128, 80, true}, idle, 8, 1}}) {
    const bool played = device_->target().subgroup != 32;
    if (!draw.next() || (played && lanes == 8)) continue;  // a minute of compiling
    AsSubgroups target(*device_, resident);
    if (played) target.plan_for().max_invocations = 32;  // all of a group take part in each shuffle
    const lower::AttentionTile tile = lower::attention_tile(target.target(), kernel_of(c, data_of(c)));
    EXPECT_EQ(tile.form, lower::AttentionTile::Form::rows) << text_of(c);
    EXPECT_EQ(tile.lanes_x, lanes) << text_of(c);
    EXPECT_EQ(tile.rows, rows) << text_of(c);
    expect_attention(target, c);
    EXPECT_EQ(target.dispatches, 1);
  }
}

// Groups have no more subgroups than rows need: of all tiles together less than one band of each is empty.
TEST_F(AttentionSchedules, groups_of_rows_fit) {
  AsSubgroups target(*device_, int64_t{132} * 2048);
  target.plan_for().max_invocations = 1024;
  int found = 0;
  for (const int64_t elements : {12, 20, 33, 64, 65, 80, 97, 128})
    for (int64_t rows = 33; rows <= 500; rows += 13) {
      AttentionKernel kernel;
      kernel.heads = 700, kernel.rows = kernel.columns = rows;
      kernel.features = kernel.results = elements;
      kernel.causal = rows % 2 == 0;
      SCOPED_TRACE(text({rows, elements}));
      const lower::AttentionTile tile = lower::attention_tile(target.target(), kernel);
      if (tile.form != lower::AttentionTile::Form::rows) continue;
      ++found;
      const int64_t tiles = ceil_divide(rows, tile.tile_rows()), band = int64_t{tile.apart()} * tile.rows;
      EXPECT_LT(tiles * tile.tile_rows() / band - ceil_divide(rows, band), tiles);
      EXPECT_EQ(tile.group_size() % 32, 0);
      EXPECT_LE(tile.group_size(), 256);
      EXPECT_LE(16 * tile.shared_vectors(), 24576);
    }
  EXPECT_GT(found, 90);
}

// Causal heads of 33 to 64 elements: rows in registers, tiles of four rows an invocation, of eight.
TEST_F(AttentionSchedules, causal_forms_by_length) {
  using Form = lower::AttentionTile::Form;
  AsSubgroups target(*device_, int64_t{132} * 2048);
  for (int64_t rows = 70; rows <= 1000; rows += 31) {
    AttentionKernel kernel;
    kernel.heads = 2000, kernel.rows = kernel.columns = rows;
    kernel.features = kernel.results = 64;
    kernel.causal = true;
    SCOPED_TRACE(text({rows}));
    const lower::AttentionTile tile = lower::attention_tile(target.target(), kernel);
    EXPECT_EQ(tile.form, rows <= 240 ? Form::rows : Form::tile);
    EXPECT_EQ(tile.rows, rows <= 240 ? 3 : rows <= 512 ? 4 : 8);
  }
}

// Heads of 65 to 128 elements: tiles where rows fill them, else rows in registers.
TEST_F(AttentionSchedules, forms_of_long_heads) {
  using Form = lower::AttentionTile::Form;
  struct Long {
    int64_t length, elements;
    bool causal;
    Form form;
    int lanes, rows;
  };
  AsSubgroups target(*device_, int64_t{132} * 2048);
  for (const auto& [length, elements, causal, form, lanes, rows] :
       {Long{300, 96, false, Form::rows, 8, 4}, Long{43, 80, false, Form::rows, 8, 4},
        Long{480, 80, false, Form::tile, 8, 8}, Long{300, 80, true, Form::tile, 8, 4},
        Long{150, 128, false, Form::rows, 8, 3}, Long{100, 128, true, Form::rows, 8, 3},
        Long{192, 128, false, Form::tile, 16, 8}}) {
    AttentionKernel kernel;
    kernel.heads = 700, kernel.rows = kernel.columns = length;
    kernel.features = kernel.results = elements;
    kernel.causal = causal;
    SCOPED_TRACE(text({length, elements}));
    const lower::AttentionTile tile = lower::attention_tile(target.target(), kernel);
    EXPECT_EQ(tile.form, form);
    EXPECT_EQ(tile.lanes_x, lanes);
    EXPECT_EQ(tile.rows, rows);
  }
}

// A step of values that no row of a band sees is not multiplied by 0: its infinities stay with the rows beyond.
TEST_F(AttentionSchedules, columns_that_no_row_of_a_band_sees) {
  for (const int64_t results : {20, 64}) {
    const Case c{1, 64, 64, 20, results, true};
    Data data = data_of(c);
    const Array expected = naive::attention(data.q, data.k, data.v, scale_of(c), {nullptr, true});
    for (size_t i = 32 * static_cast<size_t>(results); i < data.v.values.size(); ++i) data.v.values[i] = INFINITY;
    AttentionKernel with_infinities = kernel_of(c, data);
    AsHardware hardware(*device_);
    hardware.run(with_infinities);
    const Array found = downloaded(with_infinities.out, {c.heads, c.rows, c.results});
    for (size_t i = 0; i < 32 * static_cast<size_t>(results); ++i)
      ASSERT_NEAR(found.values[i], expected.values[i], 4e-6) << results << ", element " << i;
  }
}

// Many heads of short sequences: several a group where they leave room, the last group's not all there, in steps of
// some of their columns.
TEST_F(AttentionSchedules, short_heads_share_groups) {
  struct Short {
    Case c;
    int lanes;
  };
  constexpr int64_t one_multiprocessor = 2048;
  Draw draw = draw_one_of(3);
  for (const auto& [c, lanes] :
       {Short{{11, 24, 24, 16, 16}, 1}, Short{{9, 9, 64, 13, 16, true}, 1},
        Short{{13, 64, 9, 7, 3, false, Mask::truths}, 1}, Short{{10, 17, 30, 32, 20, true}, 2},
        Short{{12, 20, 33, 8, 8, true, Mask::floats, 3, 2, StorageType::f16, true}, 1},
        Short{{8, 33, 50, 64, 60, false, Mask::floats}, 4}, Short{{9, 24, 24, 128, 100, true}, 8}}) {
    const bool played = device_->target().subgroup != 32;
    if (!draw.next() || (played && lanes == 8)) continue;  // a minute of compiling
    AsSubgroups target(*device_, one_multiprocessor);
    if (played) target.plan_for().max_invocations = 32;  // all of a group take part in each shuffle
    const lower::AttentionTile tile = lower::attention_tile(target.target(), kernel_of(c, data_of(c)));
    EXPECT_EQ(tile.form, lower::AttentionTile::Form::rows) << text_of(c);
    EXPECT_EQ(tile.lanes_x, lanes) << text_of(c);
    EXPECT_EQ(tile.heads > 1, tile.lanes_x * tile.lanes_y <= (played ? 16 : 32)) << text_of(c);
    expect_attention(target, c);
    EXPECT_EQ(target.dispatches, 1);
  }
}

// Elements that each take a sector of memory are copied, where they are many.
TEST_F(AttentionSchedules, operands_with_heads_innermost) {
  for (const int64_t heads : {4, 513}) {
    const Case c{heads, 16, 20, 8, 128};
    const Data data = data_of(c);
    AttentionKernel kernel = kernel_of(c, data);
    kernel.v = heads_innermost(data.v, c.storage);
    AsHardware target(*device_);
    expect_results(target, c, data, kernel);
    EXPECT_EQ(target.dispatches, heads == 4 ? 1 : 2);
  }
}

// Columns that a mask moves far down, but does not hide, come first: what is seen later is all that counts.
TEST_F(AttentionSchedules, scores_far_below) {
  for (const float far : {std::numeric_limits<float>::lowest(), -1e12F, -1e10F, -5e9F}) {
    const Case c{2, 70, 60, 16, 16, false, Mask::floats};
    Data data = data_of(c);
    for (size_t i = 0; i < data.mask.values.size(); ++i) data.mask.values[i] = i % 60 < 20 ? far : 0;
    AsHardware hardware(*device_);
    hardware.plan_for().packs_nearest = true;
    expect_attention_of(hardware, c, data);
  }
}

// Scores that grow from column to column, by less than what raises a row's base and by more.
TEST_F(AttentionSchedules, growing_scores) {
  for (const float slope : {0.3F, 2.0F, 40.0F}) {
    const Case c{1, 40, 90, 4, 4};
    Data data = data_of(c);
    for (size_t i = 0; i < data.q.values.size(); ++i) data.q.values[i] = i % 4 == 0 ? 1 : 0;
    for (size_t i = 0; i < data.k.values.size(); ++i)
      data.k.values[i] = static_cast<float>(i / 4) * slope / static_cast<float>(scale_of(c));
    AsHardware hardware(*device_);
    expect_attention_of(hardware, c, data);
  }
}

// Heads, rows and columns are cut where a binding covers less, and the results of columns merged.
TEST_F(AttentionSchedules, parts_where_bindings_cover_little) {
  Draw draw = draw_one_of(2);
  for (const int64_t bytes : {4096, 16384, 40000})
    for (const Case& c :
         {Case{3, 90, 100, 16, 20, true}, Case{2, 150, 50, 8, 12, false, Mask::truths},
          Case{1, 70, 400, 8, 8, true, Mask::floats}, Case{2, 60, 40, 16, 8, false, Mask::none, 2, 1}}) {
      if (!draw.next()) continue;
      AsHardware hardware(*device_);
      hardware.plan_for().max_block_bytes = bytes;
      expect_attention(hardware, c);
      if (bytes == 4096) {
        EXPECT_GT(hardware.dispatches, 1);
      }
    }
}

TEST_F(AttentionSchedules, parts_where_a_driver_bounds_groups_or_loops) {
  const Case c{5, 300, 200, 8, 8, true, Mask::truths};
  AsHardware few(*device_);
  few.plan_for().max_groups = 2;
  expect_attention(few, c);
  EXPECT_GT(few.dispatches, 5);
  AsTarget bounded(*device_, device_->target());
  bounded.plan_for().software = true;
  bounded.plan_for().max_loop_trips = 40;
  expect_attention(bounded, c);
  EXPECT_GT(bounded.dispatches, 2);
}

TEST_F(AttentionSchedules, an_epilogue_is_applied_whole_or_behind_parts) {
  const Case c{2, 40, 60, 8, 8};
  const Data data = data_of(c);
  const Array plain = naive::attention(data.q, data.k, data.v, scale_of(c), {});
  for (const int64_t bytes : {1 << 20, 4096}) {
    AttentionKernel kernel = kernel_of(c, data);
    ExpressionBuilder builder(kernel.out.layout.shape);
    const int x = builder.accumulator(DType::f32), one = builder.parameter(DType::f32, {std::bit_cast<uint32_t>(1.0F)});
    builder.operation(Op::add, DType::f32, {x, one, -1});
    kernel.epilogue = builder.take();
    AsHardware hardware(*device_);
    hardware.plan_for().max_block_bytes = bytes;
    hardware.run(kernel);
    Array expected = plain;
    for (double& value : expected.values) value += 1;
    EXPECT_TRUE(within(downloaded(kernel.out, plain.shape), expected, 4e-6, 1e-6));
  }
}

TEST_F(AttentionSchedules, the_same_bits_each_time) {
  const Case c{2, 70, 90, 20, 40, true, Mask::floats};
  const Data data = data_of(c);
  Array first;
  for (int run = 0; run < 3; ++run) {
    const AttentionKernel kernel = kernel_of(c, data);
    AsHardware hardware(*device_);
    hardware.run(kernel);
    const Array found = downloaded(kernel.out, {c.heads, c.rows, c.results});
    if (run == 0) first = found;
    EXPECT_EQ(found.values, first.values);
  }
}

}  // namespace
}  // namespace eglantine::test
