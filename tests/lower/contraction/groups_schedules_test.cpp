#include "lower/contraction/groups_cases.hpp"

#include "lower/contraction/gpu_products.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/contraction/schedule/tuning.hpp"
#include "support/random/draw.hpp"

/// Contractions over groups of axes in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

TEST_F(GroupsSchedules, in_tiles_in_shared_memory) {
  AsHardware hardware(*device_);
  expect_close(hardware, {1, 37, 70, 3, 5});
  expect_close(hardware, {3, 5, 130, 7, 3});
  expect_close(hardware, {2, 140, 9, 1, 2});
}

TEST_F(GroupsSchedules, steps_of_several_tiles) {
  for (int64_t resident : {2048, 20 * 2048})
    for (const GroupsCase& c :
         {GroupsCase{1, 70, 140, 40, 3}, {1, 130, 200, 23, 5}, {2, 40, 300, 67, 2}, {1, 260, 64, 131, 1}}) {
      AsHardware hardware(*device_, resident);
      expect_close(hardware, c);
    }
}

TEST_F(GroupsSchedules, integers_that_are_made_floats) {
  for (int64_t resident : {2048, 20 * 2048})
    for (const GroupsCase& c :
         {GroupsCase{1, 70, 140, 40, 3}, {1, 130, 200, 23, 5}, {1, 260, 64, 131, 1}, {1, 13, 300, 140, 3}})
      for (const auto& [left, right] :
           {std::pair{StorageType::i32, StorageType::f32}, {StorageType::f32, StorageType::i32}}) {
        AsHardware hardware(*device_, resident);
        GroupsCase cast = c;
        cast.of_left = left;
        cast.of_right = right;
        expect_close(hardware, cast);
      }
}

/// Columns lie along x, where devices have more groups than elsewhere: of a convolution of many images no operand is
/// copied.
TEST_F(GroupsSchedules, as_many_columns_as_groups_along_x) {
  AsHardware hardware(*device_);
  hardware.plan_for().max_groups = 2;
  hardware.plan_for().max_groups_x = 1 << 20;
  expect_close(hardware, {1, 26, 700, 3, 5});
  EXPECT_EQ(hardware.dispatches, 1) << hardware.names;
}

/// Of a few channels no tile is half empty, and short sums are in one slice.
TEST(GroupsTiles, of_few_rows_are_full) {
  const lower::MatmulShader staged{.dtype = DType::f32, .a = lower::MatmulRead::staged, .b = lower::MatmulRead::staged};
  for (const auto& [rows, columns, k] :
       {std::tuple<int64_t, int64_t, int64_t>{26, 11'072'270, 33}, {26, 1'651'860, 315}}) {
    const auto best = lower::quickest_tile(gpu_of(132), product_of(rows, columns, k), staged);
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(best->tile.m(), 32) << text_of(best->tile);
    EXPECT_EQ(best->tile.slices, 1) << text_of(best->tile);
  }
}

/// Bytes of shared memory that a program declares: of tiles, and of tables of steps.
int64_t shared_bytes(const std::string& text) {
  int64_t vectors = 0;
  for (const std::string name : {"#define EG_SHARED ", "eg_steps_a[", "eg_steps_b["})
    if (const size_t at = text.find(name); at != std::string::npos)
      vectors += std::stoll(text.substr(at + name.size()));
  return 16 * vectors;
}

TEST_F(GroupsSchedules, steps_of_several_tiles_through_windows_apart) {
  AsHardware hardware(*device_);
  expect_close(hardware, {.g = 1, .rows = 131, .columns = 75, .c = 67, .k = 2, .step = 3});
  expect_close(hardware, {.g = 2, .rows = 70, .columns = 61, .c = 21, .k = 17, .step = 15});
}

TEST_F(GroupsSchedules, tiles_and_tables_fit_shared_memory) {
  const GroupsCase c{1, 512, 1000, 60, 3};
  const ContractionKernel kernel = kernel_of(c, data_of(c), buffer_of(*device_, Words(512 * 1000, 0)));
  bool with = false, without = false;
  for (int64_t limit = 8192; limit <= 49152; limit += 1024) {
    AsHardware hardware(*device_, 8 * 2048);
    hardware.plan_for().max_shared_bytes = limit;
    const std::string text = glsl_of(hardware.target(), kernel);
    if (text.find("matmul_tile:") == std::string::npos) continue;
    EXPECT_LE(shared_bytes(text), limit);
    (text.find("eg_steps_b[") != std::string::npos ? with : without) = true;
  }
  EXPECT_TRUE(with && without);
}

/// The rows of the tile that is chosen.
int64_t tile_rows(const std::string& text) {
  const std::string name = "#define EG_TILE_M ";
  return std::stoll(text.substr(text.find(name) + name.size()));
}

TEST_F(GroupsSchedules, few_rows_that_lie_along_k_take_a_tile_of_few) {
  for (GroupsCase c : {GroupsCase{1, 13, 2000, 140, 3}, {1, 16, 1500, 301, 1}}) {
    c.of_left = StorageType::i32;
    AsHardware hardware(*device_);
    const BufferPtr out = buffer_of(*device_, Words(static_cast<size_t>(c.rows * c.columns), 0));
    EXPECT_EQ(tile_rows(glsl_of(hardware.target(), kernel_of(c, data_of(c), out))), 16);
    expect_close(hardware, c);
  }
}

/// Tuning with that tile for a case's lengths, however its operands are read.
std::shared_ptr<const lower::Tuning> only_tile(const lower::MatmulTile& tile, const GroupsCase& c) {
  using lower::MatmulRead;
  auto tuning = std::make_shared<lower::Tuning>();
  for (const MatmulRead a : {MatmulRead::k_major, MatmulRead::mn_major, MatmulRead::single})
    for (const MatmulRead b : {MatmulRead::k_major, MatmulRead::mn_major, MatmulRead::single})
      tuning->tiles.emplace(lower::class_of(c.rows, c.columns, c.c * c.k, c.g, a, b), tile);
  return tuning;
}

TEST_F(GroupsSchedules, each_tile_with_operands_along_k) {
  Draw draw = draw_one_of(4);
  for (const lower::MatmulTile& tile : lower::known_tiles(false))
    for (const auto& [left, right] :
         {std::pair{StorageType::i32, StorageType::f32}, {StorageType::f32, StorageType::i32}}) {
      GroupsCase c{1, 70, 75, 23, 5, false, 1, left, right};
      c.step = 5;
      if (tile.buffers == 1 || !tile.fits(device_->target()) || !draw.next()) continue;
      SCOPED_TRACE(text_of(tile));
      AsHardware hardware(*device_);
      hardware.plan_for().tuning = only_tile(tile, c);
      expect_close(hardware, c);
    }
}

/// Of the fetches of a tile whose last is for some invocations, the others read no step, as the table has none for
/// them.
TEST_F(GroupsSchedules, invocations_without_a_vector_read_no_step) {
  const GroupsCase c{.g = 1, .rows = 64, .columns = 64, .c = 23, .k = 5, .of_right = StorageType::i32};
  ContractionKernel kernel = kernel_of(c, data_of(c), buffer_of(*device_, Words(64 * 64, 0)));
  std::swap(kernel.left, kernel.right);
  std::swap(kernel.left_kept, kernel.right_kept);
  const lower::MatmulTile tile{lower::MatmulForm::tile, 8, 8, 24, 8, 1, 8};
  AsHardware hardware(*device_);
  hardware.plan_for().tuning = only_tile(tile, c);
  const std::string text = glsl_of(hardware.target(), kernel);
  const std::string step = "uvec4 steps_a0_0 = ", guard = "if (thread < 128u) { ";
  ASSERT_NE(text.find(step), std::string::npos);
  for (size_t at = text.find(step); at != std::string::npos; at = text.find(step, at + 1))
    EXPECT_EQ(text.substr(at - guard.size(), guard.size()), guard);
}

TEST_F(GroupsSchedules, in_registers) {
  AsTarget software(*device_, device_->target());
  software.plan_for().software = true;
  expect_close(software, {1, 37, 70, 3, 5});
  expect_close(software, {3, 8, 16, 7, 3, true});
}

/// Runs of 2, 4, 8 and 16 columns; of odd ones, of windows apart and of a longer k than whole trips, each by itself.
TEST_F(GroupsSchedules, neighbouring_columns_share_windows_in_registers) {
  AsTarget software(*device_, device_->target());
  software.plan_for().software = true;
  const auto shares = [&](const GroupsCase& c) {
    expect_close(software, c);
    const BufferPtr out = buffer_of(*device_, Words(static_cast<size_t>(c.g * c.rows * c.columns), 0));
    return glsl_of(software.target(), kernel_of(c, data_of(c), out)).find("#define EG_STEP12") != std::string::npos;
  };
  for (const GroupsCase& c :
       {GroupsCase{1, 37, 70, 4, 3}, {2, 8, 36, 12, 2}, {1, 16, 136, 16, 3}, {1, 21, 160, 9, 4, true}})
    EXPECT_TRUE(shares(c)) << text_of(c);
  for (const GroupsCase& c : {GroupsCase{1, 16, 71, 4, 3}, {1, 16, 70, 4, 5}, {1, 16, 70, 5, 4}, {1, 16, 70, 4, 1}})
    EXPECT_FALSE(shares(c)) << text_of(c);
  EXPECT_FALSE(shares({.g = 1, .rows = 16, .columns = 70, .c = 4, .k = 3, .step = 2}));
}

/// One window a batch, of which each begins an element behind the one before: no run of columns.
TEST_F(GroupsSchedules, batches_of_one_column_share_no_windows) {
  AsTarget software(*device_, device_->target());
  software.plan_for().software = true;
  constexpr int64_t channel = 18;
  const GroupsCase c{16, 16, 1, 4, 3};
  const Data data = data_of(c);
  const BufferPtr out = buffer_of(*device_, Words(static_cast<size_t>(c.g * c.rows), 0));
  ContractionKernel kernel = kernel_of(c, data, out);
  ExpressionBuilder windows({c.g, c.c, c.k});
  load(windows, operand(data.right, c.of_right, {{c.g, c.c, c.k}, {1, channel, 1}, 0}, 0));
  kernel.right = windows.take();
  software.run(kernel);
  const Words found = download(*device_, out->storage(), static_cast<size_t>(c.g * c.rows));
  for_each_index({c.rows, c.g}, [&](const Dims& at) {
    double sum = 0;
    for (int64_t i = 0; i < c.c; ++i)
      for (int64_t j = 0; j < c.k; ++j)
        sum += data.left.at({at[1], at[0], i, j}) * data.right.values[static_cast<size_t>(at[1] + i * channel + j)];
    EXPECT_NEAR(element_at(found, c.of_out, c.place(at[0], at[1], 0)), sum, 1e-4) << text(at);
  });
}

TEST_F(GroupsSchedules, with_an_epilogue) {
  AsHardware hardware(*device_);
  expect_close(hardware, {2, 20, 33, 4, 3, true});
  EXPECT_EQ(hardware.dispatches, 2);
}

TEST_F(GroupsSchedules, a_single_row_column_or_step) {
  AsHardware hardware(*device_);
  expect_close(hardware, {1, 1, 40, 3, 2});
  expect_close(hardware, {2, 40, 1, 3, 2});
  expect_close(hardware, {2, 6, 5, 1, 1});
}

TEST_F(GroupsSchedules, chunks_of_a_long_sum_fill_a_gpu) {
  AsHardware small(*device_, 4 * 2048), large(*device_, 132 * 2048);
  expect_close(small, {1, 20, 33, 300, 5});
  EXPECT_EQ(small.dispatches, 2);
  expect_close(large, {1, 20, 33, 300, 5});
  EXPECT_EQ(large.dispatches, 2);
}

TEST_F(GroupsSchedules, sums_of_chunks_have_the_epilogue_and_the_order_of_the_output) {
  AsHardware hardware(*device_, 132 * 2048);
  expect_close(hardware, {2, 5, 9, 331, 3, true});
  EXPECT_EQ(hardware.dispatches, 2);
  expect_close(hardware, {2, 5, 9, 331, 3, true, 2});
  EXPECT_EQ(hardware.dispatches, 5) << "to places apart in a kernel of its own";
}

/// In one dispatch; an epilogue takes another.
TEST_F(GroupsSchedules, chunks_are_joined_by_their_groups) {
  for (const bool doubled : {false, true}) {
    const GroupsCase c{2, 40, 130, 307, 5, doubled};
    AsHardware hardware(*device_, 132 * 2048);
    hardware.plan_for().tuning = only_tile({lower::MatmulForm::tile, 8, 8, 16, 4, 1, 8}, c);
    expect_close(hardware, c);
    EXPECT_EQ(hardware.dispatches, doubled ? 2 : 1) << hardware.names;
  }
}

/// Partial sums and arrivals take two bindings more than what another dispatch adds up.
TEST_F(GroupsSchedules, chunks_are_not_joined_where_bindings_are_few) {
  const GroupsCase c{2, 40, 130, 307, 5};
  AsHardware hardware(*device_, 132 * 2048);
  hardware.plan_for().max_bindings = 4;
  hardware.plan_for().tuning = only_tile({lower::MatmulForm::tile, 8, 8, 16, 4, 1, 8}, c);
  expect_close(hardware, c);
  EXPECT_EQ(hardware.dispatches, 2) << hardware.names;
}

TEST_F(GroupsSchedules, chunks_of_a_long_sum_are_added_in_one_order) {
  const GroupsCase c{1, 20, 33, 400, 5};
  std::vector<Words> found;
  for (int run = 0; run < 3; ++run) {
    AsHardware hardware(*device_, 132 * 2048);
    const BufferPtr out = buffer_of(*device_, Words(20 * 33, 0));
    hardware.run(kernel_of(c, data_of(c), out));
    found.push_back(download(*device_, out->storage(), 20 * 33));
    EXPECT_EQ(found.back(), found.front());
  }
}

TEST_F(GroupsSchedules, chunks_of_a_sum_longer_than_a_loop_may_be) {
  AsTarget loops(*device_, device_->target());
  loops.plan_for().software = true;
  loops.plan_for().max_loop_trips = 128;
  expect_close(loops, {2, 6, 7, 100, 5});
  EXPECT_EQ(loops.dispatches, 2);
}

/// What all chunks read is more than a binding covers, but not what each reads.
TEST_F(GroupsSchedules, in_chunks_where_a_binding_holds_too_little) {
  AsHardware hardware(*device_);
  hardware.plan_for().max_block_bytes = 65536;
  expect_close(hardware, {1, 40, 300, 100, 2});
  EXPECT_EQ(hardware.names.find("matmul"), std::string::npos);
  AsTarget software(*device_, device_->target());
  software.plan_for().software = true;
  software.plan_for().max_block_bytes = 65536;
  expect_close(software, {1, 40, 300, 100, 2});
  EXPECT_EQ(software.names.find("matmul"), std::string::npos);
}

TEST_F(GroupsSchedules, by_matrices_in_memory_where_a_binding_holds_too_little) {
  AsHardware hardware(*device_);
  hardware.plan_for().max_block_bytes = 8192;
  expect_close(hardware, {60, 20, 30, 2, 3});
  EXPECT_NE(hardware.names.find("matmul"), std::string::npos);
}

}  // namespace
}  // namespace eglantine::test
