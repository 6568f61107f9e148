#include <algorithm>
#include <array>
#include <cmath>

#include "eglantine/layers.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Orthogonal initial values.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, Orthogonal);

/// The largest distance of the products of rows (of columns, where they are fewer) from those of orthogonal ones.
double distance(const Tensor& weights, double gain) {
  const Array x = download(weights);
  const int64_t rows = x.shape[0], columns = x.size() / rows, count = std::min(rows, columns);
  const auto at = [&](int64_t i, int64_t j) {
    return x.values[static_cast<size_t>(rows <= columns ? i * columns + j : j * columns + i)];
  };
  double most = 0;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < count; ++k) {
      double product = 0;
      for (int64_t j = 0; j < std::max(rows, columns); ++j) product += at(i, j) * at(k, j);
      most = std::max(most, std::abs(product - (i == k ? gain * gain : 0)));
    }
  return most;
}

EG_TEST(Orthogonal, rows_or_columns_are_orthogonal_and_of_length_one) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 13}, Shape{13, 1}, Shape{13, 13}, Shape{40, 127}, Shape{127, 40},
                             Shape{6, 4, 3, 3}, Shape{64, 2, 3}}) {
    const Tensor w = nn::orthogonal(shape, 5);
    EXPECT_EQ(w.shape(), shape);
    EXPECT_LE(distance(w, 1), 1e-6) << to_string(shape);
    EXPECT_LE(distance(nn::orthogonal(shape, 5, -2), 2), 4e-6) << to_string(shape);
  }
  EXPECT_EQ(nn::orthogonal({0, 3}, 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(nn::orthogonal({3, 0}, 1).shape(), (Shape{3, 0}));
}

/// Each element of a uniformly distributed orthogonal matrix of n rows has mean 0 and variance 1 / n.
EG_TEST(Orthogonal, matrices_are_uniformly_distributed) {
  constexpr int draws = 600;
  std::array<double, 9> sums{}, squares{};
  for (uint64_t seed = 0; seed < draws; ++seed) {
    const std::vector<double> values = nn::orthogonal({3, 3}, seed).to_vector<double>();
    for (size_t i = 0; i < 9; ++i) {
      sums[i] += values[i] / draws;
      squares[i] += values[i] * values[i] / draws;
    }
  }
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(sums[i], 0, 4 * std::sqrt(1.0 / 3 / draws)) << i;
    EXPECT_NEAR(squares[i], 1.0 / 3, 4 * std::sqrt(4.0 / 45 / draws)) << i;
  }
}

EG_TEST(Orthogonal, equal_seeds_give_equal_matrices) {
  EXPECT_TRUE(same_bits(nn::orthogonal({5, 7}, 3), nn::orthogonal({5, 7}, 3)));
  EXPECT_FALSE(array_equal(nn::orthogonal({5, 7}, 3), nn::orthogonal({5, 7}, 4)));
}

}  // namespace
}  // namespace eglantine::test
