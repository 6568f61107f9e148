#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Broadcast, Binary);
EG_ON_EACH_DEVICE(Broadcast, Ternary);

const std::vector<std::pair<Dims, Dims>> pairs = {
    {{}, {}},         {{}, {13}},           {{13}, {1}},      {{13, 1}, {1, 127}},       {{127}, {13, 127}},
    {{13, 1}, {127}}, {{5, 1, 3}, {13, 1}}, {{1, 1}, {2, 3}}, {{2, 1, 4, 1}, {3, 1, 5}}, {{0}, {1}},
    {{0}, {}},        {{3, 0}, {3, 1}},     {{1, 3}, {0, 3}}, {{1025, 1}, {1, 3}},       {{2, 3, 4}, {2, 3, 4}}};

double sum_as_f32(double a, double b) { return as_element(DType::f32, a + b); }

EG_TEST(Binary, every_pair_of_shapes_on_both_sides) {
  for (const auto& [left, right] : pairs) {
    SCOPED_TRACE(text(left) + " with " + text(right));
    const Array a = random_array(DType::f32, left, 1);
    const Array b = random_array(DType::f32, right, 2);
    EXPECT_TRUE(matches(upload(a) + upload(b), naive::map(a, b, DType::f32, sum_as_f32)));
    EXPECT_TRUE(matches(upload(b) + upload(a), naive::map(b, a, DType::f32, sum_as_f32)));
  }
}

EG_TEST(Binary, every_view_beside_every_other) {
  const Array x = random_array(DType::f32, {13, 7}, 1);
  const Array y = random_array(DType::f32, {13, 7}, 2);
  for (const View& left : every_view())
    for (const View& right : every_view()) {
      SCOPED_TRACE(left.name + " + " + right.name);
      const Sample a = left.hold(x);
      const Sample b = right.hold(y);
      EXPECT_TRUE(matches(a.tensor + b.tensor, naive::map(a.array, b.array, DType::f32, sum_as_f32)));
    }
}

EG_TEST(Binary, an_operand_with_itself_transposed) {
  const Array x = random_array(DType::i32, {37, 37});
  const Tensor held = upload(x);
  EXPECT_TRUE(matches(held - held.transpose(0, 1),
                      naive::map(x, naive::transpose(x, 0, 1), DType::i32, [](double a, double b) { return a - b; })));
}

EG_TEST(Binary, a_row_and_a_column_of_a_pending_expression) {
  const Array x = random_array(DType::i32, {13, 1});
  const Array squares = naive::map(x, DType::i32, [](double v) { return v * v; });
  const Tensor held = square(upload(x));
  EXPECT_TRUE(matches(held * held.transpose(0, 1), naive::map(squares, naive::transpose(squares, 0, 1), DType::i32,
                                                              [](double a, double b) { return a * b; })));
}

EG_TEST(Ternary, where_broadcasts_three_shapes) {
  const auto choose = [](double c, double a, double b) { return c != 0 ? a : b; };
  for (DType dtype : every_dtype) {
    const Array c = random_array(DType::boolean, {5, 1, 1}, 1);
    const Array a = random_array(dtype, {13, 1}, 2);
    const Array b = random_array(dtype, {3}, 3);
    EXPECT_TRUE(matches(where(upload(c), upload(a), upload(b)), naive::map(c, a, b, dtype, choose)));
  }
}

EG_TEST(Ternary, clip_by_tensors) {
  const auto clipped = [](double x, double low, double high) { return std::min(std::max(x, low), high); };
  const Array x = random_array(DType::i32, {13, 37}, 1);
  const Array low = random_array(DType::i32, {37}, 2);
  const Array high = random_array(DType::i32, {13, 1}, 3);
  EXPECT_TRUE(matches(clip(upload(x), upload(low), upload(high)), naive::map(x, low, high, DType::i32, clipped)));
}

TEST(BroadcastShapes, follows_numpy) {
  EXPECT_EQ(broadcast_shapes({}, {}), Shape{});
  EXPECT_EQ(broadcast_shapes({3, 1}, {4}), (Shape{3, 4}));
  EXPECT_EQ(broadcast_shapes({2, 3, 4}, {1, 4}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast_shapes({1}, {0}), Shape{0});
  EXPECT_EQ(broadcast_shapes({0, 1}, {5}), (Shape{0, 5}));
}

}  // namespace
}  // namespace eglantine::test
