#include <cmath>
#include <functional>
#include <string>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"

/// check_gradients finds wrong derivatives, and takes right ones.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, CheckGradients);

/// The start of what it says; "" where it finds nothing.
std::string complaint(const Function& f, const Tensors& x, double tolerance = 1e-2) {
  try {
    check_gradients(f, x, 1e-2, tolerance);
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(" is "));
  }
  return "";
}

const std::string complains_of = "[check_gradients] the derivative by element ";

/// sin(x), whose derivative cos(x) is multiplied by a factor.
Function sine_with_slope_times(const Tensor& factor) {
  return custom_vjp(
      [](const Tensors& x) { return Tensors{sin(x[0])}; },
      [factor](const Tensors& x, const Tensors&, const Tensors& g) { return Tensors{g[0] * cos(x[0]) * factor}; });
}

Tensor argument() { return upload(random_reals({2, 3}, -1, 1, 4)); }

EG_TEST(CheckGradients, finds_a_wrong_sign_and_a_factor) {
  EXPECT_EQ(complaint(sine_with_slope_times(Tensor(1.0F)), {argument()}), "");
  EXPECT_EQ(complaint(sine_with_slope_times(Tensor(-1.0F)), {argument()}), complains_of + "0 of tensor 0");
  EXPECT_EQ(complaint(sine_with_slope_times(Tensor(1.1F)), {argument()}), complains_of + "0 of tensor 0");
}

EG_TEST(CheckGradients, finds_the_element_that_is_wrong) {
  for (int64_t wrong = 0; wrong < 6; ++wrong) {
    const Tensor factor = where(arange(0, 6).reshape({2, 3}) == static_cast<float>(wrong), 1.5F, 1.0F);
    EXPECT_EQ(complaint(sine_with_slope_times(factor), {argument()}),
              complains_of + std::to_string(wrong) + " of tensor 0");
  }
}

EG_TEST(CheckGradients, tolerates_what_it_is_told_to) {
  const Function nearly = sine_with_slope_times(Tensor(1.05F));
  EXPECT_EQ(complaint(nearly, {argument()}, 0.2), "");
  EXPECT_EQ(complaint(nearly, {argument()}, 5e-3), complains_of + "0 of tensor 0");
}

EG_TEST(CheckGradients, finds_it_by_each_argument_and_of_each_result) {
  const auto backward = [](float first, float second) {
    return custom_vjp(
        [](const Tensors& x) {
          return Tensors{x[0] * x[1], x[0] + x[1], x[0] > 0};
        },
        [=](const Tensors& x, const Tensors&, const Tensors& g) {
          return Tensors{g[0] * x[1] + g[1], g[0] * x[0] * first + g[1] * second};
        });
  };
  const Tensors x{argument(), argument() + 2};
  EXPECT_EQ(complaint(backward(1, 1), x), "");
  EXPECT_EQ(complaint(backward(2, 1), x), complains_of + "0 of tensor 1");
  EXPECT_EQ(complaint(backward(1, 2), x), complains_of + "0 of tensor 1");
}

/// softmax with a rule that is right, but takes the result for a constant.
EG_TEST(CheckGradients, finds_a_wrong_derivative_of_a_derivative) {
  const auto softmax_with = [](Tensor (*result)(const Tensor&)) {
    return custom_vjp([](const Tensors& x) { return Tensors{softmax(x[0], 1)}; },
                      [result](const Tensors&, const Tensors& y, const Tensors& g) {
                        return Tensors{result(y[0]) * (g[0] - sum(g[0] * y[0], {1}, true))};
                      });
  };
  const Function right = softmax_with([](const Tensor&y) { return y; }), wrong = softmax_with(stop_gradient);
  const Tensor weights = arange(0, 6).reshape({2, 3});
  const auto slopes_of = [&](const Function& f) -> Function {
    return [=](const Tensors& x) { return grad([&](const Tensors& at) { return sum(f(at)[0] * weights); }, x); };
  };
  EXPECT_EQ(complaint(right, {argument()}), "");
  EXPECT_EQ(complaint(wrong, {argument()}), "");
  EXPECT_EQ(complaint(slopes_of(right), {argument()}), "");
  EXPECT_EQ(complaint(slopes_of(wrong), {argument()}), complains_of + "0 of tensor 0");
}

/// Of a function that goes one way in what it shows to derivatives, and another in what it gives.
EG_TEST(CheckGradients, finds_what_a_derivative_does_not_see) {
  const Function stopped = [](const Tensors& x) { return Tensors{square(x[0]) * stop_gradient(x[0])}; };
  EXPECT_EQ(complaint(stopped, {argument() + 2}), complains_of + "0 of tensor 0");
}

}  // namespace
}  // namespace eglantine::test
