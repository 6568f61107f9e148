#include "perf/works/models/perceptron.hpp"

namespace eglantine::perf::models {

namespace {

constexpr int64_t inputs = 784, hidden_units = 128, classes = 10;
constexpr float momentum = 0.9F, rate = 0.05F;

/// (batch, classes): 1 at the label, else 0.
Tensor one_hot_of(const Tensor& labels) {
  return eq(labels.unsqueeze(1), arange(0, classes, 1, DType::i32, labels.device())).astype(DType::f32);
}

}  // namespace

PerceptronWeights::PerceptronWeights(const Device& device, uint64_t seed)
    : w1(normal({inputs, hidden_units}, seed, DType::f32, device) * 0.01F),
      b1(zeros({hidden_units}, DType::f32, device)),
      w2(normal({hidden_units, classes}, seed + 1, DType::f32, device) * 0.1F),
      b2(zeros({classes}, DType::f32, device)) {}

PerceptronByHand::Parameter::Parameter(const Tensor& x)
    : value(x), velocity(zeros(x.shape(), DType::f32, x.device())) {}

PerceptronByHand::PerceptronByHand(const Device& device, uint64_t seed)
    : PerceptronByHand(PerceptronWeights(device, seed)) {}

PerceptronByHand::PerceptronByHand(const PerceptronWeights& weights)
    : w1_(weights.w1), b1_(weights.b1), w2_(weights.w2), b2_(weights.b2) {}

Tensor PerceptronByHand::step(const Tensor& x, const Tensor& labels) {
  const auto batch = static_cast<float>(x.shape()[0]);
  const Tensor target = one_hot_of(labels);

  // Forward: relu and the biases fuse into the products.
  const Tensor hidden = relu(matmul(x, w1_.value) + b1_.value);
  const Tensor logits = matmul(hidden, w2_.value) + b2_.value;
  const Tensor log_probability = log_softmax(logits, 1);
  const Tensor loss = -sum(log_probability * target) / batch;

  // Backward, from the loss to the first layer: d loss / d logits = (softmax - target) / batch.
  const Tensor d_logits = (exp(log_probability) - target) / batch;
  const Tensor d_hidden = where(gt(hidden, 0), matmul(d_logits, w2_.value.transpose(0, 1)), 0.0F);
  w2_.descend(matmul(hidden.transpose(0, 1), d_logits));
  b2_.descend(sum(d_logits, {0}));
  w1_.descend(matmul(x.transpose(0, 1), d_hidden));
  b1_.descend(sum(d_hidden, {0}));

  eval({loss, w1_.value, w1_.velocity, b1_.value, b1_.velocity, w2_.value, w2_.velocity, b2_.value, b2_.velocity});
  return loss;
}

void PerceptronByHand::Parameter::descend(const Tensor& gradient) {
  velocity = velocity * momentum + gradient;
  value = value - velocity * rate;
}

PerceptronByGrad::PerceptronByGrad(const Device& device, uint64_t seed)
    : weights_(device, seed), optimiser_{.rate = rate, .momentum = momentum} {}

Tensor PerceptronByGrad::step(const Tensor& x, const Tensor& labels) {
  const auto batch = static_cast<float>(x.shape()[0]);
  const auto [loss, gradients] = nn::value_and_grad(weights_, [&](const PerceptronWeights& model) {
    return -sum(log_softmax(model(x), 1) * one_hot_of(labels)) / batch;
  });
  optimiser_.step(weights_, gradients);
  return loss;
}

}  // namespace eglantine::perf::models
