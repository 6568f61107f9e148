#include <bit>

#include "lower/row/fixture.hpp"

/// The forms of row kernels by the length of rows; and that windows change no bits.
namespace eglantine::test {
namespace {

class RowSchedulesOnGles : public RowSchedules {
 protected:
  RowSchedulesOnGles() : RowSchedules(true) {}
};

TEST_F(RowSchedules, rows_of_every_size_class) {
  for (int64_t length : {2, 5, 13, 64, 127, 128, 129, 1023, 4097, 16384, 16385})
    expect_close(hardware(), {RowFormula::softmax, length < 200 ? 70 : 5, length});
  EXPECT_EQ(names_, "row max sum\n");
  for (int64_t length : {128, 1025}) expect_close(hardware(true), {RowFormula::log_softmax, 70, length});
}

TEST_F(RowSchedules, software_takes_short_rows_and_columns_in_parts) {
  constexpr int64_t elements = 70000;
  const auto expect_parts = [&](RowFormula op, int64_t length, bool columns = false) {
    expect_close(software(), {op, elements / length, length, columns});
    EXPECT_EQ(names_.find("row_"), std::string::npos) << names_;
    EXPECT_NE(names_, "row " + folds_of(op) + "\n");
  };
  for (int64_t length : {2, 3, 5, 64}) expect_parts(RowFormula::softmax, length);
  for (int64_t length : {2, 7}) expect_parts(RowFormula::var, length);
  for (int64_t length : {3, 300}) expect_parts(RowFormula::rms, length);
  for (int64_t length : {3, 64, 300}) expect_parts(RowFormula::standardize, length, true);
  expect_close(software(), {RowFormula::var, elements / 3, 3, true, true});
  // One kernel where a row is read again from the nearest cache, or where a program for each part is too much.
  expect_close(software(), {RowFormula::standardize, elements / 300, 300});
  EXPECT_NE(names_.find("row_"), std::string::npos) << names_;
  expect_close(software(), {RowFormula::softmax, 100, 3});
  EXPECT_NE(names_.find("row_"), std::string::npos) << names_;
}

TEST_F(RowSchedules, of_halves) {
  halves_ = true;
  for (int64_t length : {2, 5, 13, 64, 127, 128, 129, 1023, 4097, 16384, 16385})
    expect_close(hardware(), {RowFormula::softmax, length < 200 ? 70 : 5, length});
  // Rows enough that few lanes have each.
  expect_close(hardware(), {RowFormula::softmax, 600, 95});
  expect_close(hardware(true), {RowFormula::log_softmax, 520, 127});
  for (RowFormula op : {RowFormula::var, RowFormula::logsumexp, RowFormula::rms}) {
    expect_close(hardware(), {op, 517, 66});
    expect_close(hardware(), {op, 70, 13});
    expect_close(hardware(true), {op, 9, 4097});
    expect_close(hardware(), {op, 3, 40001});
    expect_close(hardware(), {op, 70, 130, true});
  }
}

TEST_F(RowSchedules, what_lies_behind_a_row_changes_none_of_its_bits) {
  for (int64_t length : {2, 5, 13, 33, 127}) {
    const RowCase c{RowFormula::softmax, 2, length};
    Words x = input(c, 0);
    const Words y = run(hardware(), x, c);
    for (int64_t i = 0; i < length; ++i) x[c.at(1, i)] = std::bit_cast<uint32_t>(100.0F);
    const Words z = run(hardware(), x, c);
    for (size_t i = 0; i < static_cast<size_t>(length); ++i) EXPECT_EQ(y[i], z[i]) << length << ", " << i;
  }
}

TEST_F(RowSchedules, rows_too_long_for_registers_are_read_again) {
  expect_close(hardware(), {RowFormula::softmax, 3, 40001});
  EXPECT_EQ(names_, "row_reread max sum\n");
  expect_close(hardware(), {RowFormula::var, 3, 40001}, 100);
  expect_close(hardware(), {RowFormula::logsumexp, 3, 40001}, -100);
}

TEST_F(RowSchedules, what_becomes_of_whole_rows) {
  for (RowFormula op : {RowFormula::var, RowFormula::logsumexp}) {
    expect_close(hardware(), {op, 70, 13}, 5);
    expect_close(hardware(true), {op, 9, 4097}, 5);
    expect_close(hardware(), {op, 70, 130, true}, 5);
  }
}

TEST_F(RowSchedules, standardized_and_scaled) {
  for (RowFormula op : {RowFormula::standardize, RowFormula::rms}) {
    const double center = op == RowFormula::rms ? 0 : 1e5;
    for (int64_t length : {2, 13, 129, 1025}) expect_close(hardware(), {op, 70, length}, center);
    expect_close(hardware(true), {op, 9, 4097}, center);
    EXPECT_EQ(names_, "row " + folds_of(op) + "\n");
    expect_close(hardware(), {op, 3, 40001}, center);
    EXPECT_EQ(names_, "row_reread " + folds_of(op) + "\n");
    expect_close(hardware(), {op, 130, 120, true}, center);
    expect_close(hardware(), {op, 5, 1025, true}, center);
  }
}

TEST_F(RowSchedules, standardized_beside_an_outlier) {
  for (int64_t length : {129, 1025, 16384, 40001})
    expect_close(hardware(), {RowFormula::standardize, 70000 / length, length, false, false, 1e7F});
  EXPECT_EQ(names_, "row_reread sum sum sum\n");
  expect_close(hardware(true), {RowFormula::standardize, 9, 4097, false, false, -1e7F}, 5);
  for (int64_t length : {120, 1025, 20000})
    expect_close(hardware(), {RowFormula::standardize, 5, length, true, false, 1e7F});
}

TEST_F(RowSchedules, means_beside_variances) {
  expect_close(hardware(), {RowFormula::var, 70, 13, false, true}, 5);
  EXPECT_EQ(names_, "row sum sum\n");
  expect_close(hardware(true), {RowFormula::var, 9, 4097, false, true}, 5);
  expect_close(hardware(), {RowFormula::var, 3, 40001, false, true}, 100);
  EXPECT_EQ(names_, "row_reread sum sum\n");
  for (int64_t length : {130, 1025}) expect_close(hardware(), {RowFormula::var, 70, length, true, true}, 5);
  EXPECT_EQ(names_, "row_strided_reread sum sum\n");
  expect_close(device_->target(), {RowFormula::var, 70, 13, true, true}, 5);
  gl::Target windows = hardware();
  windows.max_block_bytes = 1 << 16;
  expect_close(windows, {RowFormula::var, 700, 257, false, true}, 5);
  EXPECT_NE(names_.find('\n'), names_.size() - 1) << "several windows";
}

TEST_F(RowSchedulesOnGles, on_the_least_that_gles_has) {
  gl::Target target = hardware();
  target.max_invocations = 128;
  target.max_shared_bytes = 16384;
  expect_close(target, {RowFormula::softmax, 9, 4096});
  expect_close(target, {RowFormula::var, 9, 4097});
  expect_close(target, {RowFormula::softmax, 70, 65, true});
  expect_close(target, {RowFormula::standardize, 600, 29});
  EXPECT_EQ(names_, "row_short sum sum sum\n");
  expect_close(target, {RowFormula::standardize, 600, 14});
  EXPECT_EQ(names_, "row_fours sum sum sum\n");
}

TEST_F(RowSchedules, windows_change_no_bits) {
  for (const RowCase& c : {RowCase{RowFormula::softmax, 700, 257},
                           {RowFormula::var, 700, 257},
                           {RowFormula::rms, 4000, 29},
                           {RowFormula::rms, 9001, 13},
                           {RowFormula::var, 9001, 7}}) {
    const Words x = input(c, 0);
    for (gl::Target target : {device_->target(), hardware()}) {
      target.max_block_bytes = int64_t{1} << 24;
      const Words whole = run(target, x, c);
      target.max_block_bytes = 1 << 16;
      EXPECT_TRUE(run(target, x, c) == whole) << names_;
      EXPECT_NE(names_.find('\n'), names_.size() - 1) << "several windows";
    }
  }
}

}  // namespace
}  // namespace eglantine::test
