#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Contraction, MatmulLarge);

constexpr int64_t large_m = 2000;
constexpr int64_t large_k = 500;
constexpr int64_t large_n = 2000;

double element(const Array& x, int64_t row, int64_t column) {
  return x.values[static_cast<size_t>(row * x.shape[1] + column)];
}

/// The product of x and a vector, in double.
std::vector<double> times(const Array& x, const std::vector<double>& vector) {
  std::vector<double> result;
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    double total = 0;
    for (int64_t column = 0; column < x.shape[1]; ++column)
      total += element(x, row, column) * vector[static_cast<size_t>(column)];
    result.push_back(total);
  }
  return result;
}

// Too large for naive loops: every row is checked by its product with a random vector of signs (Freivalds 1977), and a
// few hundred elements individually.
EG_TEST(MatmulLarge, two_thousand_by_five_hundred_by_two_thousand) {
  const Array a = random_reals({large_m, large_k}, -1, 1, 1);
  const Array b = random_reals({large_k, large_n}, -1, 1, 2);
  const Array result = download(matmul(upload(a), upload(b)));
  Random random(3);
  for (int sample = 0; sample < 300; ++sample) {
    const int64_t row = random.integer(0, large_m - 1);
    const int64_t column = random.integer(0, large_n - 1);
    double expected = 0;
    for (int64_t i = 0; i < large_k; ++i) expected += element(a, row, i) * element(b, i, column);
    ASSERT_NEAR(element(result, row, column), expected, 1e-3) << row << ", " << column;
  }
  std::vector<double> signs;
  for (int64_t i = 0; i < large_n; ++i) signs.push_back(random.integer(0, 1) == 0 ? -1 : 1);
  const std::vector<double> expected = times(a, times(b, signs));
  const std::vector<double> actual = times(result, signs);
  for (int64_t row = 0; row < large_m; ++row)
    ASSERT_NEAR(actual[static_cast<size_t>(row)], expected[static_cast<size_t>(row)], 2e-2) << row;
}

}  // namespace
}  // namespace eglantine::test
