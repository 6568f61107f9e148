#include "eglantine/verbs/activations.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/samples.hpp"

/// The activations that are verbs made of verbs, against PyTorch's formulas in double; those of one argument are rows
/// (Elementwise/Operation).
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Activations, Activations);

using Function = std::function<double(double)>;

/// The special floats and numbers around 0, as far as 100.
Array arguments_of_activations() {
  Array x = random_reals({1025}, -8, 8);
  const std::vector<double> specials = special_floats();
  std::copy(specials.begin(), specials.end(), x.values.begin());
  for (size_t i = 100; i < 200; ++i) x.values[i] = as_element(DType::f32, x.values[i] * 12);
  return x;
}

void expect_is(const std::function<Tensor(const Tensor&)>& verb, const Function& formula,
               const Tolerance& tolerance = exact) {
  const Array x = arguments_of_activations();
  EXPECT_TRUE(matches(verb(upload(x)), naive::map(x, DType::f32, formula), tolerance));
}

/// Parameters are taken as f32.
double parameter(double x) { return as_element(DType::f32, x); }

EG_TEST(Activations, elu_and_celu) {
  for (double alpha : {1.0, 0.3, -2.0, 0.0}) {
    const double a = parameter(alpha);
    expect_is([=](const Tensor& x) { return elu(x, alpha); }, [=](double x) { return x > 0 ? x : a * std::expm1(x); },
              {8});
  }
  for (double alpha : {1.0, 0.3, 2.0}) {
    const double a = parameter(alpha);
    expect_is([=](const Tensor& x) { return celu(x, alpha); },
              [=](double x) { return x > 0 ? x : a * std::expm1(x / a); }, {8});
  }
}

EG_TEST(Activations, leaky_relu_hardtanh_and_shrinks) {
  expect_is([](const Tensor& x) { return leaky_relu(x); }, [](double x) { return x > 0 ? x : parameter(0.01) * x; });
  expect_is([](const Tensor& x) { return leaky_relu(x, -3); }, [](double x) { return x > 0 ? x : -3 * x; });
  expect_is([](const Tensor& x) { return hardtanh(x); }, [](double x) { return x < -1 ? -1 : (x > 1 ? 1 : x); });
  expect_is([](const Tensor& x) { return hardtanh(x, 0.5, INFINITY); }, [](double x) { return x < 0.5 ? 0.5 : x; });
  for (double lambda : {0.5, 0.0, 0.3}) {
    const double l = parameter(lambda);
    expect_is([=](const Tensor& x) { return softshrink(x, lambda); },
              [=](double x) { return std::isnan(x) ? x : (x > l ? x - l : (x < -l ? x + l : 0)); });
    expect_is([=](const Tensor& x) { return hardshrink(x, lambda); },
              [=](double x) { return std::fabs(x) <= l ? 0 : x; });
  }
}

EG_TEST(Activations, threshold_and_nan_to_num) {
  expect_is([](const Tensor& x) { return threshold(x, 1, -7); },
            [](double x) { return std::isnan(x) || x > 1 ? x : -7; });
  expect_is([](const Tensor& x) { return nan_to_num(x); },
            [](double x) { return std::isnan(x) ? 0 : (std::isinf(x) ? std::copysign(FLT_MAX, x) : x); });
  expect_is([](const Tensor& x) { return nan_to_num(x, -1, 5, -INFINITY); },
            [](double x) { return std::isnan(x) ? -1 : (x == INFINITY ? 5 : x); });
  expect_is([](const Tensor& x) { return nan_to_num(x, NAN, {}, 3); },
            [](double x) { return x == INFINITY ? FLT_MAX : (x == -INFINITY ? 3 : x); });
}

EG_TEST(Activations, over_every_view) {
  check_over_views(
      DType::f32, {{5, 13, 3}}, [](const Tensor& x) { return elu(x, 2) + nan_to_num(hardshrink(x)); },
      [](const Array& x) {
        return naive::map(x, DType::f32,
                          [](double v) { return (v > 0 ? v : 2 * std::expm1(v)) + (std::fabs(v) <= 0.5 ? 0 : v); });
      },
      {16, 0, 1e-6});
}

struct OfIntegers {
  Tensor (*verb)(const Tensor&);
  double (*formula)(double);
};

/// All but nan_to_num give f32.
EG_TEST(Activations, of_integers_and_booleans) {
  const std::vector<OfIntegers> cases = {
      {[](const Tensor& x) { return elu(x); }, [](double x) { return x > 0 ? x : std::expm1(x); }},
      {[](const Tensor& x) { return hardtanh(x); }, [](double x) { return std::clamp(x, -1.0, 1.0); }},
      {[](const Tensor& x) { return threshold(x, 0, 5); }, [](double x) { return x > 0 ? x : 5; }},
      {relu6, [](double x) { return std::clamp(x, 0.0, 6.0); }},
      {[](const Tensor& x) { return prelu(x, 0.5); }, [](double x) { return x > 0 ? x : x / 2; }}};
  Draw draw = draw_programs_one_of(5);
  for (DType dtype : {DType::i32, DType::u32, DType::boolean}) {
    const Array array = random_array(dtype, {13});
    const Tensor x = upload(array);
    for (const auto& [verb, formula] : cases)
      if (draw.next()) {
        EXPECT_TRUE(matches(verb(x), naive::map(array, DType::f32, formula), {8}));
      }
    const Tensor kept = nan_to_num(x, 3, 4, 5);
    EXPECT_EQ(kept.dtype(), dtype);
    EXPECT_TRUE(same(kept, x));
  }
}

EG_TEST(Activations, of_nothing_and_of_a_scalar) {
  EXPECT_EQ(elu(zeros({0, 3})).shape(), Shape({0, 3}));
  EXPECT_EQ(nan_to_num(zeros({0})).size(), 0);
  EXPECT_EQ(softshrink(Tensor(2.0F)).item<float>(), 1.5F);
  EXPECT_EQ(threshold(Tensor(-2.0F), 0, 4).item<float>(), 4.0F);
}

}  // namespace
}  // namespace eglantine::test
