#include <algorithm>

#include "lower/row/fixture.hpp"

/// Rows that repeat one another, and rows whose elements repeat.
namespace eglantine::test {
namespace {

class RowRepeatSchedules : public RowSchedules {};

TEST_F(RowRepeatSchedules, rows_that_repeat_are_computed_once) {
  for (const gl::Target& target : {hardware(), hardware(true), software()})
    for (const bool columns : {false, true})
      for (const RowFormula op : {RowFormula::standardize, RowFormula::softmax, RowFormula::logsumexp}) {
        expect_close(target, {op, 2500, 29, columns, false, 0, true}, 5);
        EXPECT_EQ(names_.find("row"), 0) << names_;
        EXPECT_EQ(names_.find("map", names_.find('\n')), names_.find('\n') + 1) << names_;
      }
  expect_close(hardware(), {RowFormula::var, 2500, 29, false, true, 0, true}, 5);
  expect_close(hardware(), {RowFormula::softmax, 250, 29, false, false, 0, true});
  EXPECT_EQ(names_, "row max sum\n");
}

/// A row's sum is that of one element times their number, so that rows are maps.
TEST_F(RowRepeatSchedules, rows_of_one_value_take_no_folds) {
  const auto dispatches = [&] { return std::ranges::count(names_, '\n'); };
  for (const gl::Target& target : {hardware(), hardware(true), software()})
    for (const bool columns : {false, true})
      for (const RowFormula op : {RowFormula::softmax, RowFormula::log_softmax, RowFormula::logsumexp, RowFormula::var,
                                  RowFormula::rms, RowFormula::standardize}) {
        expect_close(target, {op, 2500, 29, columns, false, 0, false, 0, false, true}, 5);
        EXPECT_EQ(names_.find("row"), std::string::npos) << names_;
        // The driver copies of software devices are no dispatches.
        EXPECT_TRUE(target.software || dispatches() == (reduces(op) ? 1 : 2)) << names_;
      }
  expect_close(hardware(), {RowFormula::logsumexp, 25000, 4, true, false, 0, false, 0, false, true}, 5);
  EXPECT_EQ(dispatches(), 1) << names_;
  expect_close(hardware(), {RowFormula::softmax, 25000, 4, true, false, 0, false, 0, false, true}, 5);
  EXPECT_EQ(names_.find("row"), 0U) << names_;
}

TEST_F(RowRepeatSchedules, columns_that_repeat_are_written_as_they_lie) {
  const RowCase c{RowFormula::softmax, 25000, 6, true, false, 0, true};
  const Strided x{nullptr, StorageType::f32, c.read()}, y{nullptr, StorageType::f32, c.layout()};
  const std::string text = glsl_of(hardware(true), row_kernel(c.op, x, y, true));
  EXPECT_NE(text.find("void eg_store(uint number, vec4 value)", text.find("// map")), std::string::npos);
}

/// Of columns that repeat along an axis before them, what is computed once lies as the results do.
TEST_F(RowRepeatSchedules, columns_between_which_others_repeat_go_across_no_memory) {
  constexpr int64_t times = 700, columns = 53, length = 60;
  const Shape domain{times, columns, length};
  RowKernel kernel = row_kernel(RowFormula::softmax, {nullptr, StorageType::f32, {domain, {0, 1, columns}, 0}},
                                {nullptr, StorageType::f32, {domain, {columns, 1, times * columns}, 0}}, true);
  kernel.kept_rank = 2;
  const std::string text = glsl_of(hardware(true), kernel);
  EXPECT_NE(text.find("// row"), std::string::npos);
  EXPECT_NE(text.find("// map "), std::string::npos);
  EXPECT_EQ(text.find("// map_transpose"), std::string::npos);
}

}  // namespace
}  // namespace eglantine::test
