#include <cmath>
#include <limits>
#include <utility>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_statistics.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Composite, Mean);
EG_ON_EACH_DEVICE(Composite, Var);
EG_ON_EACH_DEVICE(Composite, Logsumexp);
EG_ON_EACH_DEVICE(Composite, Softmax);
EG_ON_EACH_DEVICE(Composite, LogSoftmax);

constexpr Tolerance millionth{0, 1e-6, 1e-6};

using AxesList = std::vector<std::vector<int64_t>>;

EG_TEST(Mean, every_view_over_every_axis) {
  for (const auto& axes : AxesList{{}, {0}, {1}, {-1}, {0, 2}})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return mean(x, axes, true); },
        [&](const Array& x) { return naive::mean(x, axes, true); }, {0, 0, 1e-5});
}

/// On a GPU the other axes go first where a run is short, whatever the order of those that are left.
EG_TEST(Mean, of_short_runs_between_those_of_other_results) {
  const Array a = random_reals({96, 3, 150, 100}, -1, 2),
              sizes = naive::map(a, DType::f32, [](double v) { return std::abs(v); });
  for (const auto& [one, other] : {std::pair{1, 3}, {2, 3}}) {
    const Tensor x = upload(naive::transpose(a, one, other)).transpose(one, other);
    for (const Axes& axes : {Axes{0, 1}, Axes{0, 2}}) {
      const Dims over(axes.begin(), axes.end());
      EXPECT_TRUE(matches(mean(abs(x), axes, true), naive::mean(sizes, over, true), {0, 1e-5, 1e-5}));
    }
  }
}

EG_TEST(Mean, of_a_scalar_and_of_large_values) {
  EXPECT_EQ(mean(Tensor(3.5F)).item<float>(), 3.5F);
  EXPECT_TRUE(std::isinf(mean(full({4}, 3e38)).item<float>()));
  EXPECT_EQ(mean(full({1025}, 2.0)).item<float>(), 2.0F);
}

EG_TEST(Var, every_view_over_every_axis) {
  for (const auto& axes : AxesList{{}, {0}, {1}, {-1}, {0, 2}})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return var(x, axes); },
        [&](const Array& x) { return naive::var(x, axes); }, {0, 1e-5, 1e-6});
}

EG_TEST(Var, of_values_far_from_zero) {
  const Array x = random_reals({3, 1025}, 999, 1001);
  EXPECT_TRUE(matches(var(upload(x), {1}, true), naive::var(x, {1}, true), {0, 1e-5, 0}));
  EXPECT_EQ(var(full({127}, 1e6)).item<float>(), 0.0F);
  EXPECT_EQ(var(Tensor(3.5F)).item<float>(), 0.0F);
}

EG_TEST(Logsumexp, every_view_over_every_axis) {
  for (const auto& axes : AxesList{{}, {0}, {1}, {-1}, {0, 2}})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return logsumexp(x, axes); },
        [&](const Array& x) { return naive::logsumexp(x, axes); }, millionth);
}

EG_TEST(Logsumexp, huge_values_and_infinities) {
  for (const std::vector<double>& row : std::vector<std::vector<double>>{{1e30, 1e30, 0},
                                                                         {-1e30, -1e30, -1e30},
                                                                         {1000, 1001, 1002},
                                                                         {-1000, -1001, -1002},
                                                                         {-infinity, 0, 1},
                                                                         {-infinity, -infinity, -infinity},
                                                                         {infinity, 0, 1},
                                                                         {infinity, -infinity, 0},
                                                                         {nan, 0, 1},
                                                                         {3e38, 3e38, 3e38}}) {
    const Array x{DType::f32, {3}, row};
    Array rounded = naive::map(x, DType::f32, [](double v) { return as_element(DType::f32, v); });
    EXPECT_TRUE(matches(logsumexp(upload(x)), naive::logsumexp(rounded, {}), millionth)) << row[0] << " " << row[1];
  }
}

EG_TEST(Logsumexp, over_nothing_is_minus_infinity) {
  EXPECT_EQ(logsumexp(zeros({0})).item<float>(), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(matches(logsumexp(zeros({2, 0}), {1}), Array{DType::f32, {2}, {-infinity, -infinity}}));
  EXPECT_EQ(logsumexp(zeros({2, 0}), {0}).shape(), Shape{0});
}

EG_TEST(Softmax, every_axis_of_every_view) {
  for (int axis : {0, 1, -1})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return softmax(x, axis); },
        [&](const Array& x) { return softmax_reference(x, axis); }, millionth);
}

EG_TEST(Softmax, long_rows_and_short_ones) {
  for (const Dims& shape : {Dims{3, 5003}, Dims{127, 1}, Dims{1025, 3}}) {
    const Array x = random_reals(shape, -20, 20);
    EXPECT_TRUE(matches(softmax(upload(x), 1), softmax_reference(x, 1), millionth));
    EXPECT_TRUE(matches(sum(softmax(upload(x), 1), {1}),
                        generate(DType::f32, {shape[0]}, [](const Dims&) { return 1; }), {0, 2e-6, 0}));
  }
}

EG_TEST(Softmax, huge_values_and_infinities) {
  const Array x{
      DType::f32,
      {6, 3},
      {1e30, 0, -1e30, -infinity, 0, 0, 100, 200, 300, infinity, 0, 1, -infinity, -infinity, -infinity, nan, 1, 2}};
  const Array expected{
      DType::f32, {6, 3}, {1, 0, 0, 0, 0.5, 0.5, 0, std::exp(-100.0), 1, nan, 0, 0, nan, nan, nan, nan, nan, nan}};
  EXPECT_TRUE(matches(softmax(upload(x), 1), expected, millionth));
}

EG_TEST(LogSoftmax, every_axis_of_every_view) {
  for (int axis : {0, 1, -1})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return log_softmax(x, axis); },
        [&](const Array& x) { return log_softmax_reference(x, axis); }, millionth);
}

EG_TEST(LogSoftmax, huge_values_and_infinities) {
  const Array x{DType::f32, {4, 3}, {1e30, 0, -1e30, -infinity, 0, 0, 100, 200, 300, nan, 1, 2}};
  const double big = as_element(DType::f32, 1e30);
  const double half = -std::log(2.0);
  const Array expected{DType::f32, {4, 3}, {0, -big, -2 * big, -infinity, half, half, -200, -100, 0, nan, nan, nan}};
  EXPECT_TRUE(matches(log_softmax(upload(x), 1), expected, millionth));
}

EG_TEST(Softmax, of_nothing) {
  EXPECT_EQ(softmax(zeros({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(softmax(zeros({3, 0}), 1).to_vector<float>().size(), 0U);
  EXPECT_EQ(log_softmax(zeros({3, 0}), -1).to_vector<float>().size(), 0U);
}

}  // namespace
}  // namespace eglantine::test
