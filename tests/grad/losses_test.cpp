#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

/// Second derivatives of losses, above all where the operands meet and where logits are 0: a model often begins there.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Gradients, LossesOf);

struct Loss {
  std::string name;
  std::function<Tensor(const Tensor& x, const Tensor& y)> of;
};

const std::vector<Loss>& every_loss() {
  static const std::vector<Loss> all{
      {"mse_loss", [](const Tensor& x, const Tensor& y) { return mse_loss(x, y); }},
      {"huber_loss", [](const Tensor& x, const Tensor& y) { return huber_loss(x, y, 0.75); }},
      {"huber_loss, wide", [](const Tensor& x, const Tensor& y) { return huber_loss(x, y, 10); }},
      {"huber_loss of targets", [](const Tensor& x, const Tensor& y) { return huber_loss(y, x, 0.75); }},
      {"binary_cross_entropy_with_logits",
       [](const Tensor& x, const Tensor& y) { return binary_cross_entropy_with_logits(x, sigmoid(y)); }},
      {"cross_entropy",
       [](const Tensor& x, const Tensor& y) {
         return cross_entropy(stack({x, y}, 1), zeros(x.shape(), DType::i32, x.device()), {.label_smoothing = 0.1});
       }},
      {"kl_div", [](const Tensor& x, const Tensor& y) { return kl_div(log_sigmoid(x), sigmoid(y)); }},
  };
  return all;
}

EG_TEST(LossesOf, equal_operands_have_second_derivatives) {
  const std::vector<float> points{-2, -0.5F, 0, 0.5F, 2};
  std::vector<float> of_x, of_y;
  for (const float a : points)
    for (const float b : points) {
      of_x.push_back(a);
      of_y.push_back(b);
    }
  const auto n = static_cast<int64_t>(of_x.size());
  const Tensor x = Tensor::from(of_x, {n}), y = Tensor::from(of_y, {n});
  for (const Loss& loss : every_loss()) {
    SCOPED_TRACE(loss.name);
    const auto slope = [&](const Tensors& at) {
      return grad([&](const Tensors& inner) { return loss.of(inner[0], y) * static_cast<float>(n); }, at);
    };
    const Tensor second = jvp(slope, {x}, {ones({n})}).second[0];
    const float step = 0x1p-7F;
    const Tensor quotient = (slope({x + step})[0] - slope({x - step})[0]) / (2 * step);
    EXPECT_TRUE(matches(second, download(quotient), {0, 1e-2, 2e-3}));
  }
}

/// Of both labels, far from where the loss is about 1: nothing cancels.
EG_TEST(LossesOf, small_losses_of_logits_keep_their_digits) {
  std::vector<float> logits, labels;
  std::vector<double> expected;
  for (const float x : {0.0F, 0.5F, 3.0F, 10.0F, 12.0F, 15.0F, 16.0F, 20.0F, 30.0F, 80.0F})
    for (const float label : {0.0F, 1.0F}) {
      logits.push_back(label == 1 ? x : -x);
      labels.push_back(label);
      expected.push_back(std::log1p(std::exp(-static_cast<double>(x))));
    }
  const Shape shape{static_cast<int64_t>(logits.size())};
  const Tensor loss =
      binary_cross_entropy_with_logits(Tensor::from(logits, shape), Tensor::from(labels, shape), LossReduction::none);
  EXPECT_TRUE(matches(loss, {DType::f32, {shape[0]}, expected}, {0, 2e-6, 0}));
}

}  // namespace
}  // namespace eglantine::test
