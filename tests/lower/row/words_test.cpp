#include <gtest/gtest.h>

#include <cmath>

#include "lower/as_subgroups.hpp"
#include "lower/row/formulas.hpp"
#include "lower/row/schedule/schedule.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"

/// Rows that begin between words or vectors of memory: lanes of a subgroup exchange what makes whole ones of results.
namespace eglantine::test {
namespace {

struct OddRows {
  int64_t rows, length, start;
  StorageType storage;
  RowFormula op = RowFormula::softmax;
  bool large_pages = true;
  int64_t resident = 4096;
};

class RowWords : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  static void expect_row(const OddRows& c, int64_t row, const Array& x, const Words& found) {
    const auto at = [&](int64_t i) { return c.start + row * c.length + i; };
    const auto value = [&](int64_t i) { return x.values[static_cast<size_t>(at(i))]; };
    double sum = 0, mean = 0, squares = 0;
    for (int64_t i = 0; i < c.length; ++i) sum += std::exp(value(i)), mean += value(i) / static_cast<double>(c.length);
    for (int64_t i = 0; i < c.length; ++i)
      squares += (value(i) - mean) * (value(i) - mean) / static_cast<double>(c.length);
    for (int64_t i = 0; i < c.length; ++i) {
      const bool shares = c.op == RowFormula::softmax;
      const double y = shares ? std::exp(value(i)) / sum : (value(i) - mean) / std::sqrt(squares + row_eps);
      ASSERT_TRUE(is_rounded(element_at(found, c.storage, at(i)), dtype_of(c.storage), y,
                             shares ? 1e-5 * y : 1e-5 * std::max(1.0, std::abs(y))))
          << row << ", " << i;
    }
  }

  static Layout layout_of(const OddRows& c) { return {{c.rows, c.length}, {c.length, 1}, c.start}; }

  /// Results of rows behind `start` elements; what lies before and behind them keeps its bits.
  static void expect_results(const OddRows& c) {
    SCOPED_TRACE(text({c.rows, c.length, c.start}));
    const int64_t count = c.start + c.rows * c.length + 9;
    const Array x = random_elements(c.storage, {count}, 3),
                before{DType::f32, {}, std::vector<double>(static_cast<size_t>(count), -7.0)};
    const Words empty = words_of(before, c.storage);
    const BufferPtr from = buffer_of(*device_, words_of(x, c.storage)), to = buffer_of(*device_, empty);
    AsSubgroups device(*device_, c.resident);
    device.plan_for().large_pages = c.large_pages;
    device.run(row_kernel(c.op, {from, c.storage, layout_of(c)}, {to, c.storage, layout_of(c)}));
    const Words found = download(*device_, to->storage(), empty.size());
    for (int64_t row = 0; row < c.rows; ++row) expect_row(c, row, x, found);
    for (int64_t i = 0; i < c.start; ++i) EXPECT_EQ(element_at(found, c.storage, i), -7.0) << i;
    for (int64_t i = count - 9; i < count; ++i) EXPECT_EQ(element_at(found, c.storage, i), -7.0) << i;
  }

  static lower::RowPlan plan_of(const OddRows& c) {
    AsSubgroups device(*device_, c.resident);
    device.plan_for().large_pages = c.large_pages;
    const BufferPtr memory = buffer_of(*device_, Words(static_cast<size_t>(c.rows * c.length)));
    const Strided x{memory, c.storage, {{c.rows, c.length}, {c.length, 1}, 0}};
    const RowKernel kernel = row_kernel(c.op, x, x);
    return lower::plan_row(device.target(), kernel, chain_of(kernel, RowReads::once));
  }

  inline static std::unique_ptr<gl::GlRuntime> device_;
};

TEST_F(RowWords, of_halves_are_written_whole_but_at_the_ends_of_rows) {
  Draw draw = draw_one_of(5);
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (const bool large_pages : {false, true})
      for (const int64_t start : {0, 1, 6, 7}) {
        const auto expect = [&](int64_t rows, int64_t length) {
          if (draw.next()) expect_results({rows, length, start, storage, RowFormula::softmax, large_pages});
        };
        expect(700, 95);
        expect(300, 334);
        expect(40, 95);
        expect(37, 33);
        expect(9, 127);
        expect(5, 258);
        expect(3, 1001);
        expect(3, 1031);
        expect(2, 2001);
        expect(2, 2061);
        expect(2, 4097);
      }
  expect_results({2, 40001, 1, StorageType::f16});
}

/// By few lanes where that is less work; words that are apart fill lines of memory, too.
TEST_F(RowWords, vectors_of_rows_with_several_folds_are_written_whole) {
  for (const int64_t start : {0, 1, 2, 3})
    for (const int64_t length : {65, 101, 146, 147, 149, 157, 201})
      expect_results({600, length, start, StorageType::f32, RowFormula::standardize});
  const lower::RowPlan plan = plan_of({600, 149, 0, StorageType::f32, RowFormula::standardize});
  EXPECT_TRUE(plan.exchanges);
  EXPECT_EQ(plan.lanes, 8);
  EXPECT_FALSE(plan_of({600, 148, 0, StorageType::f32, RowFormula::standardize}).exchanges);
  EXPECT_FALSE(plan_of({600, 501, 0, StorageType::f32, RowFormula::standardize}).exchanges) << "as many lanes";
  EXPECT_FALSE(plan_of({600, 149, 0, StorageType::f32, RowFormula::softmax}).exchanges);
  EXPECT_FALSE(plan_of({600, 149, 0, StorageType::f32, RowFormula::standardize, false}).exchanges);
}

/// Lanes of long rows take turns, so that few of their steps have neighbours in other subgroups.
TEST_F(RowWords, halves_of_rows_of_several_subgroups_take_turns) {
  EXPECT_EQ(plan_of({300, 334, 0, StorageType::f16}).lanes, 16);
  EXPECT_FALSE(plan_of({300, 334, 0, StorageType::f16}).in_turns());
  EXPECT_TRUE(plan_of({2, 4097, 0, StorageType::f16}).in_turns());
  EXPECT_FALSE(plan_of({2, 2001, 0, StorageType::f16}).exchanges) << "too many steps of a lane";
  EXPECT_TRUE(plan_of({2, 1001, 0, StorageType::f16}).exchanges);
  EXPECT_TRUE(plan_of({2, 1001, 0, StorageType::f16}).unrolled());
}

/// Which lanes have an element follows from the length, and not from how the operand lies.
TEST_F(RowWords, bits_do_not_depend_on_how_operands_lie) {
  constexpr int64_t rows = 1767, length = 149;
  const Words x = words_of(random_elements(StorageType::f32, {rows * length}, 3), StorageType::f32);
  Words beside(x.size()), backwards(x.size());
  for (size_t i = 0; i < x.size(); ++i) beside[i % length * rows + i / length] = x[i];
  for (size_t i = 0; i < x.size(); ++i) backwards[i / length * length + (length - 1 - i % length)] = x[i];
  const auto results = [&](const Words& elements, const std::vector<int64_t>& strides) {
    const int64_t first = strides[1] < 0 ? length - 1 : 0;
    const BufferPtr from = buffer_of(*device_, elements), to = buffer_of(*device_, Words(x.size()));
    AsSubgroups device(*device_, 4096);
    device.plan_for().large_pages = true;
    RowKernel kernel = row_kernel(RowFormula::standardize, {from, StorageType::f32, {{rows, length}, strides, first}},
                                  {to, StorageType::f32, {{rows, length}, {length, 1}, 0}});
    kernel.across = strides[0] == 1;
    device.run(kernel);
    EXPECT_EQ(device.names, "row sum sum sum\n");
    return download(*device_, to->storage(), x.size());
  };
  const Words y = results(x, {length, 1});
  EXPECT_TRUE(results(beside, {1, rows}) == y);
  EXPECT_TRUE(results(backwards, {length, -1}) == y);
}

}  // namespace
}  // namespace eglantine::test
