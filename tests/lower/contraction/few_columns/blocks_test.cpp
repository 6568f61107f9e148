#include <tuple>

#include "lower/contraction/few_columns/cases.hpp"
#include "lower/contraction/few_columns/wide_blocks.hpp"
#include "support/random/draw.hpp"

/// Products with few columns whose rows begin anywhere: in wide blocks of rows, and of many matrices of few rows,
/// several of which a group has.
namespace eglantine::test {
namespace {

class FewColumnsBlocks : public FewColumnsSchedules {
 protected:
  static lower::FewColumnsProduct product_of_case(const FewColumnsCase& c) { return lower::product_of(kernel_of(c)); }
  static bool in_wide_blocks(const FewColumnsCase& c) {
    return lower::gains_by_wide_blocks(AsHardware(*device_, c.resident).target(), product_of_case(c));
  }
  static std::optional<lower::FewColumnsPlan> together(const FewColumnsCase& c) {
    return lower::plan_batches_together(AsHardware(*device_, c.resident).target(), product_of_case(c));
  }

  static void expect_together(FewColumnsCase c) {
    c.computed = true;
    EXPECT_TRUE(together(c)) << text_of(c);
    AsHardware hardware(*device_, c.resident);
    expect_close(hardware, c);
    EXPECT_EQ(hardware.dispatches, 1) << hardware.names;
  }
};

FewColumnsCase wide_case(StorageType storage, int64_t rows, int64_t k, int64_t columns) {
  FewColumnsCase c{1, rows, k, columns, true};
  c.storage = c.of_columns = storage;
  return c;
}

TEST_F(FewColumnsBlocks, large_matrices_along_rows_that_begin_anywhere) {
  Draw draw = draw_one_of(2);
  for (FewColumnsCase c : {wide_case(StorageType::f16, 517, 1027, 16), wide_case(StorageType::bf16, 1029, 1026, 9),
                           wide_case(StorageType::f16, 516, 1024, 14), wide_case(StorageType::f32, 515, 1025, 13),
                           wide_case(StorageType::i8, 513, 1024, 10), wide_case(StorageType::f16, 514, 1025, 5),
                           wide_case(StorageType::bf16, 515, 1024, 8)}) {
    if (!draw.next()) continue;
    if (c.storage == StorageType::i8) c.of_columns = StorageType::f32;
    c.columns_first = c.scaled = c.k % 2 != 0;
    c.across = !c.scaled;
    EXPECT_TRUE(in_wide_blocks(c)) << text_of(c);
    AsHardware hardware(*device_, c.resident);
    expect_close(hardware, c);
    EXPECT_TRUE(hardware.names.find("few_columns") != std::string::npos) << hardware.names;
  }
}

/// Of fewer rows than a group has invocations these share k.
TEST_F(FewColumnsBlocks, few_rows_are_no_wide_ones) {
  FewColumnsCase c = wide_case(StorageType::bf16, 33, 16767, 10);
  c.columns_first = c.backwards = true;
  EXPECT_FALSE(in_wide_blocks(c)) << text_of(c);
  AsHardware hardware(*device_, c.resident);
  EXPECT_GE(plan_few_columns(hardware.target(), product_of_case(c)).lanes, 32);
  expect_close(hardware, c);
}

TEST_F(FewColumnsBlocks, wide_ones_from_inside_a_vector_and_from_the_end) {
  for (const StorageType storage : {StorageType::f16, StorageType::f32})
    for (const bool backwards : {false, true}) {
      FewColumnsCase c = wide_case(storage, 520, 1024, 12);
      c.start = 3;
      c.columns_first = c.backwards = backwards;
      EXPECT_TRUE(in_wide_blocks(c)) << text_of(c);
      AsHardware hardware(*device_, c.resident);
      expect_close(hardware, c);
    }
}

/// Of shorter sums chunks are shorter, where the device would have few groups.
TEST_F(FewColumnsBlocks, wide_ones_of_short_sums) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16}) {
    FewColumnsCase c = wide_case(storage, 601, 387, 10);
    c.columns_first = storage == StorageType::f16;
    c.of_results = storage;
    EXPECT_TRUE(in_wide_blocks(c));
    AsHardware hardware(*device_, c.resident);
    lower::FewColumnsProduct product = product_of_case(c);
    product.across = true;
    EXPECT_LT(plan_few_columns(hardware.target(), product).chunk_quads, 64);
    expect_close(hardware, c);
  }
}

/// In one chunk each invocation stores its own results, in any type.
TEST_F(FewColumnsBlocks, wide_ones_of_many_rows_store_narrow_results) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16}) {
    FewColumnsCase c = wide_case(storage, 4101, 515, 9);
    c.resident = 2048;
    c.columns_first = storage == StorageType::f16;
    c.of_results = storage;
    EXPECT_TRUE(in_wide_blocks(c));
    AsHardware hardware(*device_, c.resident);
    expect_close(hardware, c);
  }
}

TEST_F(FewColumnsBlocks, small_or_aligned_matrices_are_not_in_wide_blocks) {
  EXPECT_FALSE(in_wide_blocks(wide_case(StorageType::f16, 511, 123, 16)));
  EXPECT_FALSE(in_wide_blocks(wide_case(StorageType::f32, 517, 515, 16)));
  EXPECT_FALSE(in_wide_blocks(wide_case(StorageType::f16, 517, 1027, 4)));
  EXPECT_FALSE(in_wide_blocks(wide_case(StorageType::f16, 517, 515, 8)));
  EXPECT_FALSE(in_wide_blocks(wide_case(StorageType::f32, 517, 1027, 8)));
  EXPECT_FALSE(in_wide_blocks(wide_case(StorageType::f32, 516, 1028, 16)));
  FewColumnsCase batches = wide_case(StorageType::f16, 516, 1028, 16);
  batches.batch = 2;
  EXPECT_FALSE(in_wide_blocks(batches));
}

TEST_F(FewColumnsBlocks, windows_of_wide_ones) {
  FewColumnsCase c = wide_case(StorageType::f16, 517, 1027, 11);
  AsHardware hardware(*device_, c.resident);
  hardware.plan_for().max_block_bytes = 16384;
  expect_close(hardware, c);
  EXPECT_GT(hardware.dispatches, 4);
}

TEST_F(FewColumnsBlocks, batches_of_few_rows_share_groups) {
  Draw draw = draw_one_of(3);
  for (const StorageType storage : {StorageType::f32, StorageType::f16, StorageType::bf16})
    for (FewColumnsCase c : {FewColumnsCase{7, 37, 98, 4}, FewColumnsCase{13, 33, 33, 3}, FewColumnsCase{5, 65, 130, 1},
                             FewColumnsCase{11, 35, 47, 16}, FewColumnsCase{5, 127, 255, 2},
                             FewColumnsCase{5, 201, 100, 12}, FewColumnsCase{6, 36, 98, 4}})
      for (const bool along_rows : {false, true}) {
        if (!draw.next()) continue;
        c.storage = c.of_columns = c.of_results = storage;
        c.along_rows = c.columns_first = along_rows;
        c.across = true;
        expect_together(c);
      }
}

TEST_F(FewColumnsBlocks, batches_in_any_order_of_results_and_memory) {
  Draw draw = draw_one_of(2);
  for (const bool along_rows : {false, true})
    for (const bool columns_first : {false, true})
      for (const bool backwards : {false, true}) {
        if (!draw.next()) continue;
        FewColumnsCase c{9, 41, 67, 5, along_rows, columns_first, !backwards};
        c.storage = StorageType::f16;
        c.backwards = backwards;
        c.across = along_rows;
        c.start = 1;
        expect_together(c);
      }
}

/// Vectors of rows that begin inside a vector of memory, or lie from its end on.
TEST_F(FewColumnsBlocks, batches_of_rows_in_vectors) {
  Draw draw = draw_one_of(3);
  for (const StorageType storage : {StorageType::f16, StorageType::f32})
    for (const int64_t start : {0, 1, 2})
      for (const bool backwards : {false, true}) {
        if (!draw.next()) continue;
        FewColumnsCase c{9, 40, 37, 7, true, start > 1};
        c.storage = c.of_results = storage;
        c.start = start;
        c.backwards = backwards;
        expect_together(c);
        EXPECT_EQ(together(c)->apart, backwards || (storage == StorageType::f32 && start > 0)) << text_of(c);
      }
}

/// Lanes of rows along k add up by shuffles.
TEST_F(FewColumnsBlocks, batches_by_shuffles) {
  FewColumnsCase c{7, 37, 98, 4};
  c.storage = c.of_columns = c.of_results = StorageType::f16;
  c.computed = true;
  AsSubgroups subgroups(*device_, c.resident);
  EXPECT_TRUE(lower::plan_batches_together(subgroups.target(), product_of_case(c))->subgroups);
  expect_close(subgroups, c);
}

/// Of more rows, which are no whole vectors.
TEST_F(FewColumnsBlocks, long_batches_of_rows_that_lie_side_by_side) {
  for (const StorageType storage : {StorageType::f32, StorageType::f16})
    for (FewColumnsCase c : {FewColumnsCase{3, 259, 37, 5, true, true}, FewColumnsCase{2, 301, 33, 12, true},
                             FewColumnsCase{2, 262, 129, 1, true, false, true}}) {
      c.storage = storage;
      c.start = 1;
      EXPECT_FALSE(together(c)) << text_of(c);
      AsHardware hardware(*device_, c.resident);
      const std::string glsl = glsl_of(hardware.target(), kernel_of(c));
      EXPECT_NE(glsl.find("#define EG_APART"), std::string::npos);
      expect_close(hardware, c);
    }
}

TEST_F(FewColumnsBlocks, copied_columns_of_round_lengths) {
  FewColumnsCase c{1, 70, 2048, 5};
  c.across = true;
  in_both_orders(c);
  c.rows = 68, c.along_rows = true;
  in_both_orders(c);
}

/// Where rows begin at even elements vectors are joined without shifts.
TEST_F(FewColumnsBlocks, rows_of_even_lengths_are_joined_by_words) {
  for (const auto& [k, start, even] :
       {std::tuple<int64_t, int64_t, bool>{98, 0, true}, {98, 2, true}, {98, 1, false}, {97, 0, false}}) {
    FewColumnsCase c{7, 37, k, 4};
    c.storage = StorageType::bf16;
    c.start = start;
    c.computed = true;
    const std::string glsl = glsl_of(AsHardware(*device_).target(), kernel_of(c));
    const size_t matrix = glsl.find("vec4 eg_matrix(uint number)");
    ASSERT_NE(matrix, std::string::npos);
    const std::string body = glsl.substr(matrix, glsl.find("}", matrix) - matrix);
    EXPECT_EQ(body.find("(a0) & 2u)") != std::string::npos, even) << text_of(c);
    expect_together(c);
  }
}

TEST_F(FewColumnsBlocks, batches_in_several_dispatches) {
  FewColumnsCase c{29, 37, 98, 4};
  c.computed = true;
  const int64_t groups = ceil_divide(c.batch, together(c)->batches);
  AsHardware hardware(*device_, c.resident);
  hardware.plan_for().max_groups_x = 3;
  expect_close(hardware, c);
  EXPECT_EQ(hardware.dispatches, ceil_divide(groups, 3));
}

TEST_F(FewColumnsBlocks, long_batches_and_single_ones_have_groups_of_their_own) {
  EXPECT_FALSE(together({1, 37, 98, 4}));
  EXPECT_FALSE(together({5, 257, 98, 4}));
  EXPECT_FALSE(together({5, 132, 98, 4, true}));
  EXPECT_FALSE(together({5, 37, 259, 4}));
  // Fewer groups than multiprocessors.
  EXPECT_TRUE(together({7, 37, 98, 4}));
  EXPECT_FALSE(together({7, 37, 98, 4, false, false, false, 1 << 14}));
}

}  // namespace
}  // namespace eglantine::test
