#include <cmath>
#include <limits>

#include "support/plans_for_gpus.hpp"
#include "verbs/row/row_cases.hpp"

/// Many short rows and columns: how many lanes take each, and what lies behind their ends.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Graph, ShortRows);  // with small windows long rows take several kernels

/// Whichever elements a kernel combines with it, and what lies behind a row.
EG_TEST(ShortRows, a_nan_is_the_largest_and_the_least_of_its_row_alone) {
  for (const auto& each : {std::pair<int64_t, int64_t>{70, 133}, {9000, 7}, {9000, 29}, {40, 1029}, {6, 40001}}) {
    const int64_t rows = each.first, length = each.second;
    for (const int axis : {0, 1}) {
      const Array x = random_reals(axis == 1 ? Dims{rows, length} : Dims{length, rows}, -4, 4);
      const auto at = [&](int64_t row, int64_t i) {
        return static_cast<size_t>(axis == 1 ? row * length + i : i * rows + row);
      };
      const float nan = std::numeric_limits<float>::quiet_NaN();
      std::vector<float> values(x.values.begin(), x.values.end());
      values[at(1, length - 1)] = values[at(3, 0)] = values[at(rows - 1, length / 2)] = nan;
      const Tensor given = Tensor::from(values, axis == 1 ? Shape{rows, length} : Shape{length, rows}),
                   low = min(given, axis, true), high = max(given, axis, true);
      const std::vector<float> y = ((given - low) / (high - low)).to_vector<float>(),
                               least = (low * 1.0F + 0.0F * sum(given - low, axis, true)).to_vector<float>();
      for (int64_t row = 0; row < rows; ++row) {
        const bool has_nan = row == 1 || row == 3 || row == rows - 1;
        EXPECT_EQ(std::isnan(least[static_cast<size_t>(row)]), has_nan) << row;
        for (int64_t i = 0; i < length; ++i) {
          const float share = y[at(row, i)];
          ASSERT_TRUE(has_nan ? std::isnan(share) : share >= 0 && share <= 1) << row << " " << i << " " << share;
        }
      }
    }
  }
}

/// On GPUs lanes of many short rows have up to five steps each, and what no lane has of its last step is not computed.
EG_TEST(ShortRows, short_rows_are_of_few_lanes_on_gpus) {
  if (!plans_for_gpus(device())) return;
  const auto text_of = [](const Shape& shape, DType dtype) {
    return explain(softmax(uniform(shape, 1).astype(dtype).eval(), 1));
  };
  const auto lanes_of = [&](const Shape& shape, DType dtype) {
    const std::string text = text_of(shape, dtype), define = "#define EG_LANES ";
    return std::stoi(text.substr(text.find(define) + define.size()));
  };
  EXPECT_EQ(lanes_of({70000, 95}, DType::bf16), 8);
  EXPECT_EQ(lanes_of({40, 95}, DType::bf16), 32);
  EXPECT_EQ(lanes_of({70000, 32}, DType::f32), 4);
  EXPECT_EQ(lanes_of({70000, 128}, DType::f32), 16);
  EXPECT_EQ(lanes_of({70000, 67}, DType::f32), 16);
  EXPECT_EQ(lanes_of({40, 67}, DType::f32), 32);
  EXPECT_NE(text_of({70000, 67}, DType::f32).find("#define EG_LAST_ELEMENTS 1\n"), std::string::npos);
  EXPECT_EQ(text_of({70000, 127}, DType::f32).find("#define EG_LAST_ELEMENTS"), std::string::npos);
}

/// Rows of every share of lanes, whole and odd, as many as make a small GPU take few lanes of each.
EG_TEST(ShortRows, many_short_rows_of_every_length) {
  for (const int64_t length : {20, 32, 49, 66, 67, 97, 100, 128, 131, 257}) {
    const Array x = random_reals({2050, length}, -3, 3);
    EXPECT_TRUE(matches(softmax(upload(x), 1), softmax_reference(x, 1), of_share)) << length;
    EXPECT_TRUE(matches(var(upload(x), 1), naive::var(x, {1}), {0, 1e-5, 0})) << length;
  }
}

/// On GPUs a lane has a short column to itself, where columns are many, and lanes side by side access neighbours where
/// rows begin anywhere; lanes of longer ones are few.
EG_TEST(ShortRows, many_short_columns_are_of_few_lanes_on_gpus) {
  if (!plans_for_gpus(device())) return;
  const auto text_of = [](const Shape& shape) { return explain(softmax(uniform(shape, 1).eval(), 0)); };
  for (const int64_t columns : {300000, 300001}) {
    const std::string text = text_of({17, columns});
    EXPECT_NE(text.find("#define EG_LANES 1\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("#define EG_APART 32\n") != std::string::npos, columns % 4 != 0) << text;
    EXPECT_EQ(text.find("for (uint u = 0u"), std::string::npos) << text;
  }
  EXPECT_NE(text_of({60, 300000}).find("#define EG_LANES 8\n"), std::string::npos);
  EXPECT_EQ(text_of({17, 999}).find("#define EG_LANES 1\n"), std::string::npos) << "too few columns";
}

EG_TEST(ShortRows, many_short_columns_of_every_length) {
  for (const auto& [length, columns] : {std::pair<int64_t, int64_t>{5, 33001},
                                        {9, 8300},
                                        {17, 8197},
                                        {24, 8194},
                                        {25, 8203},
                                        {60, 5003},
                                        {130, 2051}}) {
    const Array x = random_reals({length, columns}, -3, 3);
    EXPECT_TRUE(matches(softmax(upload(x), 0), softmax_reference(x, 0), of_share)) << length;
    EXPECT_TRUE(matches(var(upload(x), 0), naive::var(x, {0}), {0, 1e-5, 0})) << length;
    const Tensor given = upload(x), flipped = given.flip(1);
    const Tensor standard = (flipped - mean(flipped, 0, true)) / stddev(flipped, 0, true);
    const Tensor same = (given - mean(given, 0, true)) / stddev(given, 0, true);
    EXPECT_TRUE(same_bits(standard.flip(1), same)) << length;
  }
}

}  // namespace
}  // namespace eglantine::test
