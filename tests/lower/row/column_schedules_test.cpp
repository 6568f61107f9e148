#include "lower/row/fixture.hpp"
#include "lower/row/schedule/schedule.hpp"

/// Rows that are columns in memory, neighbours of which are side by side in a group.
namespace eglantine::test {
namespace {

class RowColumnSchedules : public RowSchedules {};

/// Columns that fill the device by themselves: one lane has all steps of four neighbours.
TEST_F(RowColumnSchedules, many_columns_of_a_few_steps) {
  for (const int64_t length : {2, 3, 4, 5})
    for (const RowFormula op : {RowFormula::var, RowFormula::softmax})
      expect_close(hardware(true), {op, 4 * 4096 + 7, length, true});
  expect_close(hardware(), {RowFormula::standardize, 4 * 4096, 4, true});
  expect_close(hardware(true), {RowFormula::var, 4 * 4096 - 3, 3, true, true});
}

TEST_F(RowColumnSchedules, columns_in_registers_and_read_again) {
  for (int64_t rows : {2, 5, 130}) expect_close(hardware(), {RowFormula::softmax, rows, 120, true});
  EXPECT_EQ(names_, "row_strided max sum\n");
  expect_close(hardware(), {RowFormula::log_softmax, 130, 1025, true});
  EXPECT_EQ(names_, "row_strided_reread max sum\n");
}

/// In large pages fewer columns are side by side where they then make a group for each multiprocessor.
TEST_F(RowColumnSchedules, fewer_columns_side_by_side_have_more_lanes) {
  gl::Target large = hardware(true);
  large.resident_invocations = int64_t{32} * 2048;
  const auto side_by_side = [&](int64_t columns, int64_t length = 5000) {
    const RowCase c{RowFormula::softmax, columns, length, true};
    const Strided x{nullptr, StorageType::f32, c.layout()};
    const RowKernel kernel = row_kernel(c.op, x, x, true);
    return lower::plan_row(large, kernel, chain_of(kernel, RowReads::once)).items_at_once();
  };
  EXPECT_EQ(side_by_side(4100), 16);
  EXPECT_EQ(side_by_side(4101), 32);       // begin anywhere
  EXPECT_EQ(side_by_side(4101, 200), 16);  // in registers
  EXPECT_EQ(side_by_side(64 * 32), 16);
  EXPECT_EQ(side_by_side(32 * 32), 8);
  EXPECT_EQ(side_by_side(130), 2);
  expect_close(large, {RowFormula::softmax, 130, 5000, true});
  expect_close(large, {RowFormula::var, 10, 1025, true}, 5);
}

TEST_F(RowColumnSchedules, columns_in_registers_of_lengths_between_powers_of_two) {
  for (const int64_t columns : {130, 1201})
    for (const int64_t length : {70, 137, 160, 161, 255}) {
      expect_close(hardware(length % 2 == 1), {RowFormula::softmax, columns, length, true});
      expect_close(hardware(length % 2 == 0), {RowFormula::standardize, columns, length, true}, 5);
    }
}

}  // namespace
}  // namespace eglantine::test
