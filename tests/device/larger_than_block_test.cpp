#include <cmath>

#include "eglantine/ops.hpp"
#include "support/devices.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Large, LargerThanBlock);

// 200 MiB: more than the 128 MiB of llvmpipe's largest storage block.
constexpr int64_t rows_of_x = 12800;
constexpr int64_t columns = 4096;

/// Element i: a small integer, so that sums of a million are exact.
float pattern(int64_t i) { return static_cast<float>(i % 251); }

std::vector<float> pattern_elements() {
  std::vector<float> elements(rows_of_x * columns);
  for (int64_t i = 0; i < rows_of_x * columns; ++i) elements[static_cast<size_t>(i)] = pattern(i);
  return elements;
}

EG_TEST(LargerThanBlock, two_hundred_megabytes_map_sum_and_read) {
  const Tensor x = Tensor::from(pattern_elements(), {rows_of_x, columns});
  const std::vector<float> sums = sum(x, {1}).to_vector<float>();
  for (int64_t row = 0; row < rows_of_x; row += 97) {
    float expected = 0;
    for (int64_t column = 0; column < columns; ++column) expected += pattern(row * columns + column);
    ASSERT_EQ(sums[static_cast<size_t>(row)], expected) << row;
  }
  const Tensor mapped = (x + 1.0F).eval();
  for (int64_t row : {int64_t{0}, rows_of_x / 2, rows_of_x - 1}) {
    const std::vector<float> line = mapped.slice(0, row, row + 1).to_vector<float>();
    for (int64_t column = 0; column < columns; ++column)
      ASSERT_EQ(line[static_cast<size_t>(column)], pattern(row * columns + column) + 1) << row << ", " << column;
  }
  double total = 0;
  for (int64_t i = 0; i < rows_of_x * columns; ++i) total += static_cast<double>(pattern(i));
  EXPECT_NEAR(sum(x).item<float>(), total, total * 1e-6);
}

EG_TEST(LargerThanBlock, a_scan_of_two_to_the_26_elements) {
  constexpr int64_t count = int64_t{1} << 26;
  const Tensor x = bit_and(arange(0, count, 1, DType::i32), 4095).eval();
  const std::vector<int32_t> sums = cumsum(x, 0).to_vector<int32_t>();
  uint32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<uint32_t>(i & 4095);
    ASSERT_EQ(static_cast<uint32_t>(sums[static_cast<size_t>(i)]), sum) << i;
  }
}

}  // namespace
}  // namespace eglantine::test
