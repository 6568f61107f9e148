#include "lower/contraction/few_columns/cases.hpp"
#include "lower/contraction/few_columns/lanes_text.hpp"
#include "support/random/draw.hpp"

/// Products with few columns in the forms for hardware, on any device.
namespace eglantine::test {
namespace {

TEST_F(FewColumnsSchedules, along_k) {
  in_both_orders({1, 70, 100, 1});
  in_both_orders({1, 67, 257, 3});
  in_both_orders({2, 33, 130, 8});
  in_both_orders({1, 9, 31, 16, false, false, true});
}

TEST_F(FewColumnsSchedules, along_rows) {
  in_both_orders({1, 70, 100, 1, true});
  in_both_orders({1, 67, 257, 3, true});
  in_both_orders({2, 36, 130, 8, true});
  in_both_orders({2, 35, 33, 2, true});
  in_both_orders({1, 12, 31, 16, true, false, true});
}

/// Rows alone that fill the device have a lane each, those that keep it busy a few.
TEST_F(FewColumnsSchedules, many_short_rows_along_memory_take_few_lanes) {
  const auto lanes_of = [&](const FewColumnsCase& c) {
    AsHardware hardware(*device_, c.resident);
    const FewColumnsKernel kernel = kernel_of(c);
    return plan_few_columns(hardware.target(), lower::product_of(kernel)).lanes;
  };
  for (const auto& [resident, lanes] : {std::pair<int64_t, int64_t>{64, 1}, {384, 2}, {4096, 32}}) {
    const FewColumnsCase c{2, 516, 130, 9, true, false, false, resident};
    EXPECT_EQ(lanes_of(c), lanes);
    in_both_orders(c);
  }
}

/// Whose vectors begin anywhere, beside many sums: places read neighbouring elements.
TEST_F(FewColumnsSchedules, rows_apart) {
  const auto is_apart = [&](const FewColumnsCase& c) {
    AsHardware hardware(*device_, c.resident);
    const FewColumnsKernel kernel = kernel_of(c);
    return plan_few_columns(hardware.target(), lower::product_of(kernel)).apart;
  };
  Draw draw = draw_one_of(3);
  for (const FewColumnsCase& c :
       {FewColumnsCase{1, 67, 70, 16, true}, FewColumnsCase{1, 1001, 33, 15, true, false, true},
        FewColumnsCase{1, 771, 129, 9, true}, FewColumnsCase{1, 6, 31, 12, true, false, true},
        FewColumnsCase{1, 2003, 37, 16, true, false, false, 1 << 12}}) {
    EXPECT_TRUE(is_apart(c)) << text_of(c);
    if (draw.next()) in_both_orders(c);
  }
  EXPECT_FALSE(is_apart({1, 132, 70, 16, true}));
  EXPECT_FALSE(is_apart({1, 131, 70, 4, true}));
  // A group more than a round of two a multiprocessor.
  EXPECT_TRUE(is_apart({1, 511, 33, 16, true, false, false, 1 << 12}));
  EXPECT_FALSE(is_apart({1, 515, 33, 16, true, false, false, 1 << 12}));
  EXPECT_FALSE(is_apart({1, 131, 70, 16}));
}

TEST_F(FewColumnsSchedules, columns_whose_steps_are_neighbours_are_read_in_place) {
  for (FewColumnsCase c : {FewColumnsCase{1, 70, 100, 8}, FewColumnsCase{1, 67, 257, 4},
                           FewColumnsCase{1, 9, 31, 16, false, false, true}, FewColumnsCase{1, 40, 3, 12},
                           FewColumnsCase{.batch = 1, .rows = 20, .k = 544, .columns = 8, .storage = StorageType::f16},
                           FewColumnsCase{.batch = 1, .rows = 33, .k = 131, .columns = 8, .apart = 4}}) {
    c.across = true;
    in_both_orders(c);
    AsTarget software(*device_, device_->target());
    software.plan_for().software = true;
    expect_close(software, c);
    EXPECT_EQ(software.dispatches, 1) << software.names;
  }
  in_both_orders({.batch = 2, .rows = 9, .k = 31, .columns = 8, .across = true});
  in_both_orders({.batch = 1, .rows = 9, .k = 31, .columns = 6, .across = true});
  in_both_orders({.batch = 1, .rows = 36, .k = 70, .columns = 8, .along_rows = true, .across = true});
}

TEST_F(FewColumnsSchedules, many_columns_that_begin_anywhere_are_copied_beside_a_large_matrix) {
  const auto copies = [&](const FewColumnsCase& c) {
    AsHardware hardware(*device_);
    expect_close(hardware, c);
    return hardware.names.starts_with("map");
  };
  EXPECT_TRUE(copies({1, 16'004, 513, 5, true}));
  EXPECT_FALSE(copies({1, 70, 513, 5, true}));
}

/// A copy of narrow columns is as narrow where a multiprocessor's cache would not hold them wide.
TEST_F(FewColumnsSchedules, copies_of_many_narrow_columns_are_narrow) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (const int64_t k : {1001, 4099}) {
      FewColumnsCase c{1, 37, k, 9};
      c.storage = c.of_columns = storage;
      c.across = true;
      AsHardware hardware(*device_);
      expect_close(hardware, c);
      const FewColumnsKernel kernel = kernel_of(c, data_of(c), buffer_of(*device_, Words(37 * 9)));
      const std::string glsl = glsl_of(hardware.target(), kernel);
      const size_t column = glsl.rfind("vec4 eg_column(uint number)");
      ASSERT_NE(column, std::string::npos);
      const std::string body = glsl.substr(column, glsl.find("}", column) - column);
      EXPECT_EQ(body.find("eg_widen_") != std::string::npos, k == 4099) << body;
    }
}

TEST_F(FewColumnsSchedules, tiny_lengths) {
  for (int64_t length = 1; length <= 4; ++length) {
    AsHardware hardware(*device_);
    expect_close(hardware, {1, length, 6 - length, 2});
    expect_close(hardware, {1, length, 6 - length, 2, true});
    AsTarget software(*device_, device_->target());
    expect_close(software, {1, length, 6 - length, 2});
    expect_close(software, {1, length, 6 - length, 2, true});
  }
}

TEST_F(FewColumnsSchedules, few_rows_take_all_lanes_of_a_group_and_then_chunks_of_k) {
  for (const bool along_rows : {false, true})
    for (const int64_t columns : {1, 5}) {
      const FewColumnsCase c{1, 12, 9001, columns, along_rows, false, true, int64_t{1} << 16};
      in_both_orders(c);
      AsHardware hardware(*device_, c.resident);
      expect_close(hardware, c);
      EXPECT_EQ(hardware.dispatches > 1, along_rows) << hardware.names;
    }
}

/// Of a product with these lengths: of what its groups read together a multiprocessor's cache has room.
TEST_F(FewColumnsSchedules, many_columns_of_a_long_k_are_in_chunks) {
  const FewColumnsCase c{1, 70, 100, 12};
  AsHardware hardware(*device_, 1 << 18);
  const auto plan_of = [&](int64_t rows, int64_t length, int64_t columns) {
    lower::FewColumnsProduct product = lower::product_of(kernel_of(c));
    product.sizes.rows = rows;
    product.sizes.length = length;
    product.sizes.columns = columns;
    return plan_few_columns(hardware.target(), product);
  };
  constexpr int64_t quad = 16, cache = 65536;
  for (int64_t columns = 9; columns <= 16; ++columns)
    for (const auto& [rows, length] : {std::pair<int64_t, int64_t>{9709, 16384}, {30001, 6001}, {1200, 30000}}) {
      const lower::FewColumnsPlan plan = plan_of(rows, length, columns);
      EXPECT_LE(plan.chunk_quads * columns * quad, cache + plan.lanes * columns * quad) << columns;
      EXPECT_GE(plan.chunk_quads, 200) << columns;
    }
  EXPECT_GE(plan_of(30000, 6000, 8).chunk_quads, 1500);
  EXPECT_GE(plan_of(2000, 6000, 12).chunk_quads, 1500);
  EXPECT_GE(plan_of(300000, 1000, 16).chunk_quads, 250);
  EXPECT_EQ(plan_of(30000, 6000, 15).group_size, 256);
  EXPECT_EQ(plan_of(30000, 6000, 14).group_size, 128);
  EXPECT_EQ(plan_of(30000, 6000, 11).group_size, 512);
}

TEST_F(FewColumnsSchedules, repeat_their_bits) {
  const FewColumnsCase c{1, 40, 4001, 3, false, false, true, int64_t{1} << 15};
  AsHardware hardware(*device_, c.resident);
  const Words once = expect_close(hardware, c);
  EXPECT_EQ(expect_close(hardware, c), once);
}

TEST_F(FewColumnsSchedules, windows_of_a_small_block) {
  for (const bool along_rows : {false, true})
    for (const bool software : {false, true}) {
      const FewColumnsCase c{2, 68, 515, 3, along_rows, along_rows, true};
      AsHardware hardware(*device_);
      hardware.plan_for().software = software;
      hardware.plan_for().max_block_bytes = 16384;
      expect_close(hardware, c);
      EXPECT_GT(hardware.dispatches, 4);
    }
}

/// Of any number of columns, by teams that are smaller and larger than it.
TEST(FewColumnsText, keeps_sums_that_there_are) {
  for (int64_t lanes = 1; lanes <= 32; lanes *= 2)
    for (const bool along_rows : {false, true})
      for (size_t columns = 1; columns <= 16; ++columns) {
        lower::FewColumnsPlan plan;
        plan.along_rows = along_rows;
        plan.subgroups = true;
        plan.lanes = plan.team = lanes;
        plan.group_size = 32 * lanes;
        std::vector<std::string> sums;
        for (size_t i = 0; i < columns; ++i) sums.push_back("s" + std::to_string(i));
        const std::string text = lower::text_of_gathering(plan, sums);
        EXPECT_EQ(text.find(", )"), std::string::npos) << text;
        for (const std::string& sum : sums) EXPECT_NE(text.find(sum), std::string::npos) << sum << " of " << text;
      }
}

TEST_F(FewColumnsSchedules, few_groups_in_a_dispatch) {
  const FewColumnsCase c{5, 200, 37, 2};
  AsTarget software(*device_, device_->target());
  software.plan_for().software = true;
  software.plan_for().max_groups = 2;
  expect_close(software, c);
  EXPECT_EQ(software.dispatches, 2 * 3);
}

}  // namespace
}  // namespace eglantine::test
