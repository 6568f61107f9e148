#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/over_views.hpp"
#include "support/random/statistics.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/reference_math.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Categorical);
EG_ON_EACH_DEVICE(Random, CategoricalShares);

/// The largest of logits + gumbel numbers along the last axis of (rows, draws, classes); -1 where rounding decides.
std::vector<double> drawn_of_rows(const Array& rows, int64_t draws, uint64_t seed) {
  const int64_t classes = rows.shape.back();
  std::vector<double> result;
  uint32_t element = 0;
  for (int64_t row = 0; row < rows.size() / classes; ++row)
    for (int64_t draw = 0; draw < draws; ++draw) {
      double best = -infinity, second = -infinity, place = 0;
      for (int64_t c = 0; c < classes; ++c) {
        const uint32_t word = reference::philox_categorical(element++, static_cast<uint32_t>(seed), 0);
        const double noise = -std::log(-std::log1p(-(word + 0.5) * 0x1p-32));
        const double sum = rows.values[static_cast<size_t>(row * classes + c)] + noise;
        if (sum > best) place = static_cast<double>(c);
        second = std::max(second, std::min(sum, best)), best = std::max(best, sum);
      }
      result.push_back(best - second > 1e-5 * std::max(1.0, std::abs(best)) ? place : -1);
    }
  return result;
}

void expect_drawn(const Tensor& drawn, const std::vector<double>& expected) {
  const std::vector<double> values = download(drawn).values;
  ASSERT_EQ(drawn.dtype(), DType::i32);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(expected[i] < 0 || values[i] == expected[i]) << i;
  // Sums lie 1e-5 apart in nearly each row: otherwise the numbers are wrong, and nothing would be compared.
  const auto undecided = std::count(expected.begin(), expected.end(), -1);
  EXPECT_LE(static_cast<size_t>(undecided), expected.size() / 100);
}

/// The axis moved last.
Array last(const Array& x, int64_t axis) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  return naive::permute(x, order);
}

EG_TEST(Categorical, draws_the_largest_of_logits_and_noise_along_any_axis) {
  for (const Dims& shape : {Dims{5}, Dims{13, 7}, Dims{3, 4, 5}, Dims{3, 1}, Dims{1, 127}})
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
      const Array x = random_array(DType::f32, shape, 4);
      const Array rows = last(x, axis);
      expect_drawn(categorical(upload(x), 3, axis), drawn_of_rows(rows, 1, 3));
      expect_drawn(categorical(upload(x), 3, axis - static_cast<int>(shape.size()), 6), drawn_of_rows(rows, 6, 3));
      Shape without(shape);
      without.erase(axis);
      EXPECT_EQ(categorical(upload(x), 3, axis).shape(), without);
      without.push_back(6);
      EXPECT_EQ(categorical(upload(x), 3, axis, 6).shape(), without);
    }
}

EG_TEST(Categorical, of_every_view_and_dtype) {
  Draw draw = draw_one_of(3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    const Sample sample = view.hold(random_array(DType::f32, {13, 5}));
    expect_drawn(categorical(sample.tensor, 9), drawn_of_rows(sample.array, 1, 9));
  }
  for (DType dtype : {DType::i32, DType::boolean}) {
    const Array x = dtype == DType::i32 ? iota(dtype, {3, 4}) : random_array(dtype, {3, 4});
    expect_drawn(categorical(upload(x), 9), drawn_of_rows(x, 1, 9));
  }
}

EG_TEST(CategoricalShares, are_those_of_softmax) {
  const std::vector<double> logits = {0, 1, -2, 0.5, 3, -infinity, 1};
  double total = 0;
  for (double logit : logits) total += std::exp(logit);
  const Tensor x = upload({DType::f32, {7}, logits});
  for (const Tensor& drawn : {categorical(x, 6, 0, 50000), categorical(x.expand({50000, 7}), 7)}) {
    std::vector<int64_t> counts(logits.size(), 0);
    const std::vector<double> places = download(drawn).values;
    for (double place : places) ++counts.at(static_cast<size_t>(place));
    EXPECT_EQ(counts[5], 0);
    std::vector<double> probabilities;
    for (double logit : logits) probabilities.push_back(std::exp(logit) / total);
    counts.erase(counts.begin() + 5), probabilities.erase(probabilities.begin() + 5);
    EXPECT_LT(std::abs(chi_square(counts, probabilities)), unlikely);
    for (size_t lag : {1, 2, 4}) EXPECT_LT(std::abs(lagged_correlation(places, lag)), unlikely);
  }
}

EG_TEST(Categorical, never_draws_minus_infinity) {
  const Tensor x = where(arange(0, 64) == 17, -100.0F, -INFINITY);
  for (double place : download(categorical(x, 1, 0, 1000)).values) ASSERT_EQ(place, 17);
}

EG_TEST(Categorical, of_rows_without_a_distribution) {
  const Array x{
      DType::f32,
      {5, 3},
      {-infinity, -infinity, -infinity, 0, nan, nan, 100, infinity, 0, nan, infinity, 0, infinity, 0, infinity}};
  EXPECT_EQ(categorical(upload(x), 2).to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 1, 0, 0}));
}

EG_TEST(Categorical, of_no_rows_no_draws_and_the_largest_rank) {
  EXPECT_EQ(categorical(zeros({0, 3}), 1).shape(), (Shape{0}));
  EXPECT_EQ(categorical(zeros({0, 3}), 1, -1, 4).shape(), (Shape{0, 4}));
  EXPECT_EQ(categorical(zeros({2, 3}), 1, -1, 0).shape(), (Shape{2, 0}));
  EXPECT_EQ(categorical(zeros({2, 0, 3}), 1, 0).shape(), (Shape{0, 3}));
  const Tensor drawn = categorical(zeros({1, 2, 1, 2, 1, 2, 1, 4}), 5, 7, 3);
  EXPECT_EQ(drawn.shape(), (Shape{1, 2, 1, 2, 1, 2, 1, 3}));
  expect_drawn(drawn, drawn_of_rows({DType::f32, {8, 4}, std::vector<double>(32, 0)}, 3, 5));
}

}  // namespace
}  // namespace eglantine::test
