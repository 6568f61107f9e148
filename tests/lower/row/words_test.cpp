#include <gtest/gtest.h>

#include <cmath>

#include "lower/as_subgroups.hpp"
#include "lower/row/formulas.hpp"
#include "support/random/random_data.hpp"

/// Rows of halves that begin within words: lanes of a subgroup complete the words that their vectors share.
namespace eglantine::test {
namespace {

struct RowsOfHalves {
  int64_t rows, length, start;
  StorageType storage;
  int64_t resident = 4096;
};

class RowWords : public testing::Test {
 protected:
  static void SetUpTestSuite() { device_ = open_runtime(); }
  static void TearDownTestSuite() { device_.reset(); }

  static void expect_shares(const RowsOfHalves& c, const Array& x, const Words& found) {
    for (int64_t row = 0; row < c.rows; ++row) {
      const auto at = [&](int64_t i) { return c.start + row * c.length + i; };
      const auto e = [&](int64_t i) { return std::exp(x.values[static_cast<size_t>(at(i))]); };
      double sum = 0;
      for (int64_t i = 0; i < c.length; ++i) sum += e(i);
      for (int64_t i = 0; i < c.length; ++i)
        ASSERT_TRUE(is_rounded(element_at(found, c.storage, at(i)), dtype_of(c.storage), e(i) / sum, 1e-5 * e(i) / sum))
            << row << ", " << i;
    }
  }

  /// Softmax of rows behind `start` elements; what lies before and behind them keeps its bits.
  static void expect_softmax(const RowsOfHalves& c) {
    SCOPED_TRACE(text({c.rows, c.length, c.start}));
    const int64_t count = c.start + c.rows * c.length + 9;
    const Array x = random_elements(c.storage, {count}, 3),
                before{DType::f32, {}, std::vector<double>(static_cast<size_t>(count), -7.0)};
    const Words empty = words_of(before, c.storage);
    const BufferPtr from = buffer_of(*device_, words_of(x, c.storage)), to = buffer_of(*device_, empty);
    const Layout layout{{c.rows, c.length}, {c.length, 1}, c.start};
    AsSubgroups device(*device_, c.resident);
    device.run(row_kernel(RowFormula::softmax, {from, c.storage, layout}, {to, c.storage, layout}));
    const Words found = download(*device_, to->storage(), empty.size());
    expect_shares(c, x, found);
    for (int64_t i = 0; i < c.start; ++i) EXPECT_EQ(element_at(found, c.storage, i), -7.0) << i;
    for (int64_t i = count - 9; i < count; ++i) EXPECT_EQ(element_at(found, c.storage, i), -7.0) << i;
  }

  inline static std::unique_ptr<gl::GlRuntime> device_;
};

TEST_F(RowWords, are_written_whole_but_at_the_ends_of_rows) {
  for (const StorageType storage : {StorageType::f16, StorageType::bf16})
    for (const int64_t start : {0, 1, 6}) {
      expect_softmax({700, 95, start, storage});
      expect_softmax({40, 95, start, storage});
      expect_softmax({37, 33, start, storage});
      expect_softmax({9, 127, start, storage});
      expect_softmax({5, 258, start, storage});
      expect_softmax({3, 1031, start, storage});
    }
  expect_softmax({2, 40001, 1, StorageType::f16});
}

}  // namespace
}  // namespace eglantine::test
