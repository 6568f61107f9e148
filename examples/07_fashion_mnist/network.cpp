#include "network.hpp"

#include <cmath>

#include "dataset.hpp"

using namespace eglantine;

namespace {

constexpr int64_t hidden_units = 128;

}  // namespace

float Schedule::rate(int64_t epoch, int64_t epochs) {
  if (epochs < 2) return first_rate;
  return first_rate * std::pow(last_rate / first_rate, static_cast<float>(epoch) / static_cast<float>(epochs - 1));
}

Network::Network(const Device& device, uint64_t seed)
    // The first layer starts small: what its pictures in the report show was learnt.
    : w1_(random_parameter({Dataset::pixels, hidden_units}, 0.01F, seed, device)),
      b1_(zero_parameter({hidden_units}, device)),
      w2_(random_parameter({hidden_units, Dataset::classes}, 0.1F, seed + 1, device)),
      b2_(zero_parameter({Dataset::classes}, device)) {}

Network::Parameter Network::zero_parameter(Shape shape, const Device& device) {
  return {zeros(shape, DType::f32, device), zeros(shape, DType::f32, device)};
}

Network::Parameter Network::random_parameter(Shape shape, float scale, uint64_t seed, const Device& device) {
  return {normal(shape, seed, DType::f32, device) * scale, zeros(shape, DType::f32, device)};
}

Tensor Network::step(const Tensor& x, const Tensor& labels) {
  const auto batch = static_cast<float>(x.shape()[0]);
  const Tensor target =
      eq(labels.unsqueeze(1), arange(0, Dataset::classes, 1, DType::i32, x.device())).astype(DType::f32);

  // Forward: relu and the biases fuse into the products.
  const Tensor hidden = relu(matmul(x, w1_.value) + b1_.value);
  const Tensor logits = matmul(hidden, w2_.value) + b2_.value;
  const Tensor log_probability = log_softmax(logits, 1);
  const Tensor loss = -sum(log_probability * target) / batch;

  // Backward, from the loss to the first layer: d loss / d logits = (softmax - target) / batch.
  const Tensor d_logits = (exp(log_probability) - target) / batch;
  const Tensor d_hidden = where(gt(hidden, 0), matmul(d_logits, w2_.value.transpose(0, 1)), 0.0F);
  const Tensor d_w2 = matmul(hidden.transpose(0, 1), d_logits);
  const Tensor d_w1 = matmul(x.transpose(0, 1), d_hidden);
  descend(w2_, d_w2);
  descend(b2_, sum(d_logits, {0}));
  descend(w1_, d_w1);
  descend(b1_, sum(d_hidden, {0}));

  eval({loss, w1_.value, w1_.velocity, b1_.value, b1_.velocity, w2_.value, w2_.velocity, b2_.value, b2_.velocity});
  return loss;
}

void Network::descend(Parameter& parameter, const Tensor& gradient) const {
  parameter.velocity = parameter.velocity * Schedule::momentum + gradient;
  parameter.value = parameter.value - parameter.velocity * rate_;
}

Tensor Network::classify(const Tensor& x) const {
  return argmax(matmul(relu(matmul(x, w1_.value) + b1_.value), w2_.value) + b2_.value, 1);
}

std::vector<float> Network::first_layer() const { return w1_.value.transpose(0, 1).to_vector<float>(); }
