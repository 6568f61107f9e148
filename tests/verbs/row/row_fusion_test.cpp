#include <cmath>

#include "support/kernel_count.hpp"
#include "support/random/draw.hpp"
#include "verbs/row/row_cases.hpp"

/// Rows in one kernel with what they are made of and what is made of them, along any axes.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, RowFusion);
EG_ON_EACH_DEVICE(Rows, RowAxes);

EG_TEST(RowFusion, softmax_takes_in_what_it_is_made_of) {
  const Array x = random_reals({13, 127}, -4, 4, 1), b = random_reals({127}, -4, 4, 2);
  const Tensor result = softmax(upload(x) * 0.5F + upload(b), 1);
  EXPECT_NE(explain(result).find("row f32 (127,) for each of (13,): mul, add, max of the row, "), std::string::npos)
      << explain(result);
  EXPECT_EQ(kernels_of(result), 1);
  const Array sums = naive::map(x, b, DType::f32, [](double v, double w) { return v * 0.5 + w; });
  EXPECT_TRUE(matches(result, softmax_reference(sums, 1), millionth));
}

EG_TEST(RowFusion, what_is_made_of_a_row_is_its_kernel_too) {
  const Array x = random_reals({13, 127}, -4, 4, 1), mask = random_reals({13, 127}, 0, 1, 2);
  const Tensor result = log_softmax(exp(upload(x)), 1) * upload(mask);
  EXPECT_EQ(kernels_of(result), 1);
  const Array e = naive::map(x, DType::f32, [](double v) { return as_element(DType::f32, std::exp(v)); });
  const Array expected =
      naive::map(log_softmax_reference(e, 1), mask, DType::f32, [](double v, double w) { return v * w; });
  EXPECT_TRUE(matches(result, expected, {0, 2e-6, 2e-6}));
}

EG_TEST(RowFusion, a_standard_deviation_is_one_kernel) {
  const Array x = random_reals({13, 127}, -4, 4), scale = random_reals({127}, 1, 2);
  for (int axis : {0, 1}) {
    const Tensor result = sqrt(var(upload(x) * upload(scale), {axis}) + 1e-5F);
    EXPECT_EQ(kernels_of(result), 1);
    const Array product = naive::map(x, scale, DType::f32, [](double v, double w) { return v * w; });
    const Array expected =
        naive::map(naive::var(product, {axis}), DType::f32, [](double v) { return std::sqrt(v + 1e-5); });
    EXPECT_TRUE(matches(result, expected, {0, 1e-5, 1e-6}));
  }
}

EG_TEST(RowFusion, a_row_read_through_views_and_by_others) {
  const Array x = random_reals({13, 37}, -4, 4);
  const Tensor y = softmax(upload(x), 1);
  const Array expected = softmax_reference(x, 1);
  EXPECT_TRUE(matches(y.transpose(0, 1).flip({0}), naive::flip(naive::transpose(expected, 0, 1), {0}), millionth));
  EXPECT_TRUE(
      matches(y + y.flip({0}),
              naive::map(expected, naive::flip(expected, {0}), DType::f32, [](double a, double b) { return a + b; }),
              {0, 2e-6, 2e-6}));
  EXPECT_TRUE(matches(logsumexp(log_softmax(upload(x), 1), {1}),
                      generate(DType::f32, {13}, [](const Dims&) { return 0; }), millionth));
}

EG_TEST(RowAxes, of_several_axes_and_in_the_middle) {
  const Array x = random_reals({3, 13, 4, 5}, -4, 4);
  Draw draw = draw_programs_one_of(2);
  for (const Dims& axes : {Dims{0, 2}, Dims{1, 2, 3}, Dims{}, Dims{0, 3}}) {
    if (!draw.next()) continue;
    EXPECT_TRUE(matches(logsumexp(upload(x), axes, true), naive::logsumexp(x, axes, true), millionth));
    EXPECT_TRUE(matches(var(upload(x), axes), naive::var(x, axes), {0, 1e-5, 1e-6}));
  }
  for (int axis : {0, 1, 2, 3}) EXPECT_TRUE(matches(softmax(upload(x), axis), softmax_reference(x, axis), millionth));
}

EG_TEST(RowAxes, of_broadcast_rows) {
  const Array x = random_reals({13, 1}, -4, 4), row = random_reals({1, 127}, -4, 4);
  const auto plus = [](double a, double b) { return a + b; };
  const Array sums = naive::map(x, row, DType::f32, plus);
  EXPECT_TRUE(matches(softmax(upload(x) + upload(row), 1), softmax_reference(sums, 1), millionth));
  EXPECT_TRUE(matches(softmax(upload(x) + upload(row), 0), softmax_reference(sums, 0), millionth));
  EXPECT_EQ(softmax(full({3, 8}, 7), 1).to_vector<float>(), std::vector<float>(24, 0.125F));
  EXPECT_EQ(var(full({3, 8}, 7), {1}).to_vector<float>(), std::vector<float>(3, 0));
}

}  // namespace
}  // namespace eglantine::test
