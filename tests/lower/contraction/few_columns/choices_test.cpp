#include <set>

#include "codegen/addresses/runs.hpp"
#include "lower/contraction/few_columns/cases.hpp"
#include "support/random/draw.hpp"

/// Products with few columns divided as tuning may choose, on any device.
namespace eglantine::test {
namespace {

using lower::FewColumnsChoice;
using lower::FewColumnsClass;

class FewColumnsChoices : public FewColumnsSchedules {
 protected:
  static lower::FewColumnsProduct product_for(const FewColumnsCase& c) { return lower::product_of(kernel_of(c)); }
  static int64_t run_length(const FewColumnsCase& c) {
    const lower::FewColumnsProduct product = product_for(c);
    return codegen::run_length(matrix_spec(product), product.matrix);
  }

  /// Every choice for the case, or a drawn share of them, as hardware and with subgroups.
  static void all_choices(const FewColumnsCase& c) {
    AsSubgroups subgroups(*device_, c.resident);
    AsHardware hardware(*device_, c.resident);
    const lower::FewColumnsProduct product = product_for(c);
    Draw draw = draw_one_of(120);
    std::set<int64_t> runs;
    for (const FewColumnsChoice& choice : choices_for(subgroups.plan_for(), product)) {
      runs.insert(choice.run);
      if (!draw.next()) continue;
      SCOPED_TRACE(text_of(choice));
      auto tuning = std::make_shared<lower::Tuning>();
      tuning->few_columns[class_of(product)] = choice;
      for (AsTarget* target : {static_cast<AsTarget*>(&subgroups), static_cast<AsTarget*>(&hardware)}) {
        target->plan_for().tuning = tuning;
        EXPECT_EQ(FewColumnsChoice::of(plan_few_columns(subgroups.plan_for(), product)), choice);
        expect_close(*target, c);
      }
    }
    EXPECT_EQ(runs, (std::set<int64_t>{1, run_length(c)}));
  }
};

TEST_F(FewColumnsChoices, of_two_bytes) {
  all_choices({.batch = 1, .rows = 70, .k = 264, .columns = 1, .storage = StorageType::f16});
  all_choices({.batch = 2, .rows = 33, .k = 528, .columns = 3, .columns_first = true, .storage = StorageType::bf16});
}

TEST_F(FewColumnsChoices, of_one_byte_with_block_scales) {
  all_choices(
      {.batch = 1, .rows = 35, .k = 576, .columns = 1, .scaled = true, .storage = StorageType::i8, .block = 32});
  all_choices(
      {.batch = 1, .rows = 20, .k = 160, .columns = 8, .scaled = true, .storage = StorageType::i8, .block = 16});
}

TEST_F(FewColumnsChoices, of_one_byte_less_zeros_of_blocks) {
  all_choices({.batch = 2,
               .rows = 19,
               .k = 320,
               .columns = 1,
               .scaled = true,
               .storage = StorageType::i8,
               .block = 64,
               .zeros = true});
}

TEST_F(FewColumnsChoices, of_four_bytes_and_along_rows) {
  all_choices({.batch = 1, .rows = 37, .k = 131, .columns = 5});
  all_choices({.batch = 1, .rows = 68, .k = 70, .columns = 2, .along_rows = true, .storage = StorageType::f16});
}

/// As the gradient of least squares, whose matrix is read by whole lines on all multiprocessors. A shorter one takes no
/// chunks that another dispatch adds up.
TEST_F(FewColumnsChoices, of_few_long_rows_fill_the_device_with_chunks_of_k) {
  constexpr int64_t resident = 270336, busy = resident / 2;
  AsSubgroups subgroups(*device_, resident);
  lower::FewColumnsProduct product = product_for({.batch = 1, .rows = 464, .k = 16, .columns = 1, .along_rows = true});
  const auto invocations = [&](const lower::FewColumnsPlan& plan) {
    const int64_t chunks = (product.quads() + plan.chunk_quads - 1) / plan.chunk_quads;
    return (464 + plan.block_rows() - 1) / plan.block_rows() * chunks * plan.group_size;
  };
  product.sizes.length = 283794;
  const lower::FewColumnsPlan plan = plan_few_columns(subgroups.plan_for(), product);
  EXPECT_EQ(plan.places(), 32);
  EXPECT_GE(invocations(plan), busy * 9 / 10);
  product.sizes.length = 4096;
  const lower::FewColumnsPlan shorter = plan_few_columns(subgroups.plan_for(), product);
  EXPECT_EQ(shorter.places(), 4);
  EXPECT_LE(invocations(shorter), busy / 4);
}

/// What multiprocessors without a group would have read decides: of more rows there are fewer of them.
TEST_F(FewColumnsChoices, of_rows_along_memory_are_cut_where_many_elements_wait_for_few_groups) {
  AsSubgroups subgroups(*device_, 270336);
  const auto chunks_of = [&](int64_t rows, int64_t length, int64_t columns = 1) {
    lower::FewColumnsProduct product =
        product_for({.batch = 1, .rows = rows, .k = 16, .columns = columns, .along_rows = true});
    product.sizes.length = length;
    const lower::FewColumnsPlan plan = plan_few_columns(subgroups.plan_for(), product);
    return (product.quads() + plan.chunk_quads - 1) / plan.chunk_quads;
  };
  for (const int64_t rows : {40, 100, 276, 464, 800}) {
    EXPECT_GT(chunks_of(rows, 10'000'000 / rows), chunks_of(rows, 3'000'000 / rows) + 1) << rows;
    EXPECT_GT(chunks_of(rows, 25'000'000 / rows, 3), chunks_of(rows, 3'000'000 / rows, 3) + 1) << rows;
  }
  EXPECT_EQ(chunks_of(1500, 6666), 1);
  EXPECT_GT(chunks_of(1500, 16666), 1);
  EXPECT_EQ(chunks_of(3001, 8330), 1) << "a group for each multiprocessor";
}

/// As of convolutions of a few channels to a few: lanes that add up would have a quad or two each.
TEST_F(FewColumnsChoices, of_short_rows_that_fill_the_device_add_up_nothing) {
  AsSubgroups subgroups(*device_, 270336);
  lower::FewColumnsProduct product = product_for({.batch = 1, .rows = 464, .k = 16, .columns = 5, .along_rows = true});
  const auto lanes_of = [&](int64_t batches, int64_t rows, int64_t length) {
    product.sizes = {batches, rows, length, 5};
    return plan_few_columns(subgroups.plan_for(), product).lanes;
  };
  EXPECT_EQ(lanes_of(700, 27648, 108), 1);
  EXPECT_GT(lanes_of(700, 27648, 4096), 1) << "long ones keep lines side by side";
  EXPECT_GT(lanes_of(1, 27648, 108), 1) << "too few rows";
}

TEST_F(FewColumnsChoices, of_chunks_hold_whole_runs) {
  all_choices({.batch = 1,
               .rows = 12,
               .k = 9024,
               .columns = 2,
               .scaled = true,
               .resident = int64_t{1} << 16,
               .storage = StorageType::i8,
               .block = 32});
}

TEST_F(FewColumnsChoices, a_run_lies_in_one_row_of_every_operand_and_begins_where_loads_of_16_bytes_do) {
  const auto run_of = [](StorageType storage, int64_t k, int64_t block = 0) {
    return run_length(
        {.batch = 1, .rows = 8, .k = k, .columns = 1, .scaled = true, .storage = storage, .block = block});
  };
  EXPECT_EQ(run_of(StorageType::f32, 64), 1);
  EXPECT_EQ(run_of(StorageType::f16, 64), 2);
  EXPECT_EQ(run_of(StorageType::f16, 72), 2);
  EXPECT_EQ(run_of(StorageType::f16, 68), 1) << "the second row begins in the middle of 16 bytes";
  EXPECT_EQ(run_of(StorageType::i8, 64), 4);
  EXPECT_EQ(run_of(StorageType::i8, 72), 1) << "the second row begins in the middle of 16 bytes";
  EXPECT_EQ(run_of(StorageType::i8, 64, 16), 4);
  EXPECT_EQ(run_of(StorageType::i8, 64, 8), 1) << "two scales";
  EXPECT_EQ(run_of(StorageType::f16, 64, 8), 2);
  EXPECT_EQ(run_length({.batch = 1, .rows = 8, .k = 64, .columns = 1, .along_rows = true, .storage = StorageType::f16}),
            1);
}

/// Along rows, as a device divides products by itself: in the shared memory that it has, with and without shuffles.
TEST_F(FewColumnsChoices, of_its_own_fit_in_shared_memory) {
  lower::Target target = AsHardware(*device_).target();
  target.max_invocations = 1024;
  target.resident_invocations = int64_t{132} * 2048;
  for (const int64_t rows : {4, 60, 2052, 40000})
    for (const int64_t columns : {1, 3, 8, 9, 16})
      for (target.subgroup = 0; target.subgroup <= 32; target.subgroup += 32)
        for (target.max_shared_bytes = 16384; target.max_shared_bytes <= 32768; target.max_shared_bytes *= 2) {
          lower::FewColumnsProduct product =
              product_for({.batch = 1, .rows = 4, .k = 600, .columns = columns, .along_rows = true});
          product.sizes.rows = rows;
          const FewColumnsChoice own = FewColumnsChoice::of(plan_few_columns(target, product));
          EXPECT_TRUE(own.suits(target, product))
              << rows << " " << text_of(own) << " " << target.subgroup << " " << target.max_shared_bytes;
        }
}

TEST(FewColumnsTuning, classes_and_choices_read_back) {
  const FewColumnsClass product{4096, 16384, 8, 1, 2, false};
  EXPECT_EQ(text_of(product), "4096x16384x8 of 1 with 2 bytes along k");
  EXPECT_EQ(lower::parse_few_columns_class(text_of(product)), product);
  const FewColumnsChoice choice{4, 32, 8, 256, 2, 1};
  EXPECT_EQ(text_of(choice), "4 rows, 32 lanes of 256 in teams of 8, 2 runs of 1");
  EXPECT_EQ(lower::parse_few_columns_choice(text_of(choice)), choice);
  for (const std::string name : {"", "4096x4096 of 1 with 2 bytes along k", "4096x4095x8 of 1 with 2 bytes along k",
                                 "4096x4096x8 of 1 with 3 bytes along k", "4096x4096x8 of 1 with 8 bytes along k",
                                 "4096x4096x8 of 1 with 2 bytes along", "04096x4096x8 of 1 with 2 bytes along k",
                                 "-4x4096x8 of 1 with 2 bytes along k", "4096x4096x8 of 1 with 2 bytes along rowsrows"})
    EXPECT_THROW(lower::parse_few_columns_class(name), std::invalid_argument) << name;
  for (const std::string name :
       {"", "3 rows, 32 lanes of 256 in teams of 8, 2 runs of 1", "4 rows, 256 lanes of 128 in teams of 8, 2 runs of 1",
        "4 rows, 256 lanes of 256 in teams of 8, 2 runs of 1", "4 rows, 32 lanes of 256 in teams of 8, 2 runs of 1 "})
    EXPECT_THROW(lower::parse_few_columns_choice(name), std::invalid_argument) << name;
}

}  // namespace
}  // namespace eglantine::test
