#include <array>

#include "eglantine/nn.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "support/devices.hpp"

/// A step of training by value_and_grad and an optimiser beside the same step whose backward pass is written by hand.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, TrainingSteps);

constexpr float rate = 0.05F, momentum = 0.9F, batch = 128;
constexpr int64_t counted_steps = 4;

/// What the demo trains: softmax(relu(x W1 + b1) W2 + b2) of 784, 128 and 10 units.
struct Weights {
  Tensor w1 = normal({784, 128}, 1) * 0.01F, b1 = zeros({128}), w2 = normal({128, 10}, 2) * 0.1F, b2 = zeros({10});
  template <class Visit>
  void parts(Visit&& visit) {
    visit("w1", w1);
    visit("b1", b1);
    visit("w2", w2);
    visit("b2", b2);
  }
  Tensor hidden(const Tensor& x) const { return relu(matmul(x, w1) + b1); }
  Tensor operator()(const Tensor& x) const { return matmul(hidden(x), w2) + b2; }
};

struct Examples {
  Tensor x = uniform({128, 784}, 3).eval(), labels = (uniform({128}, 4) * 10.0F).astype(DType::i32).eval();
  Tensor target() const { return eq(labels.unsqueeze(1), arange(0, 10, 1, DType::i32)).astype(DType::f32); }
};

Tensor mean_cross_entropy(const Tensor& log_probability, const Tensor& target) {
  return -sum(log_probability * target) / batch;
}

struct ByGrad {
  Weights weights;
  optim::Sgd optimiser{.rate = rate, .momentum = momentum};
  Tensor step(const Examples& examples) {
    const auto [loss, gradients] = nn::value_and_grad(weights, [&](const Weights& model) {
      return mean_cross_entropy(log_softmax(model(examples.x), 1), examples.target());
    });
    optimiser.step(weights, gradients);
    return loss.eval();
  }
};

struct ByHand {
  Weights weights;
  std::array<Tensor, 4> velocities{zeros({784, 128}), zeros({128}), zeros({128, 10}), zeros({10})};
  Tensor step(const Examples& examples) {
    const Tensor target = examples.target(), hidden = weights.hidden(examples.x);
    const Tensor log_probability = log_softmax(matmul(hidden, weights.w2) + weights.b2, 1);
    const Tensor loss = mean_cross_entropy(log_probability, target);
    const Tensor d_logits = (exp(log_probability) - target) / batch;
    const Tensor d_hidden = where(gt(hidden, 0), matmul(d_logits, weights.w2.transpose(0, 1)), 0.0F);
    descend(weights.w1, velocities[0], matmul(examples.x.transpose(0, 1), d_hidden));
    descend(weights.b1, velocities[1], sum(d_hidden, {0}));
    descend(weights.w2, velocities[2], matmul(hidden.transpose(0, 1), d_logits));
    descend(weights.b2, velocities[3], sum(d_logits, {0}));
    eval({loss, weights.w1, weights.b1, weights.w2, weights.b2, velocities[0], velocities[1], velocities[2],
          velocities[3]});
    return loss;
  }
  static void descend(Tensor& weight, Tensor& velocity, const Tensor& gradient) {
    velocity = velocity * momentum + gradient;
    weight = weight - velocity * rate;
  }
};

struct Counts {
  int64_t kernels, dispatches;
};

/// Of counted_steps steps, after one that is not counted.
template <class Training>
Counts counts_of(Training training, const Examples& examples, const Device& device) {
  const float first = training.step(examples).template item<float>();
  device.synchronize();
  const auto before = statistics(device);
  Tensor loss;
  for (int64_t i = 0; i < counted_steps; ++i) loss = training.step(examples);
  EXPECT_LT(loss.item<float>(), first);
  const auto after = statistics(device);
  return {after.kernels - before.kernels, after.dispatches - before.dispatches};
}

/// In both, one kernel computes the loss's terms and the logits' cotangent.
EG_TEST(TrainingSteps, take_no_more_kernels_by_value_and_grad_than_by_hand) {
  const Examples examples;
  const Counts by_hand = counts_of(ByHand(), examples, device());
  const Counts by_grad = counts_of(ByGrad(), examples, device());
  EXPECT_GT(by_grad.kernels, 0);
  EXPECT_LE(by_grad.kernels, by_hand.kernels);
  EXPECT_LE(by_grad.dispatches, by_hand.dispatches);
}

}  // namespace
}  // namespace eglantine::test
