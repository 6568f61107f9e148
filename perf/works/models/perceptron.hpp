#pragma once

#include <eglantine/eglantine.hpp>

/// One network and optimiser, a step of which is written twice: softmax(relu(x W1 + b1) W2 + b2), 784-128-10, trained
/// by stochastic gradient descent with momentum 0.9 on the mean cross-entropy. Both begin with the same weights.
namespace eglantine::perf::models {

/// What is trained, as a model of named parts. W1 (784, 128) and W2 (128, 10) are random, the biases are 0.
struct PerceptronWeights {
  Tensor w1, b1, w2, b2;
  PerceptronWeights(const Device& device, uint64_t seed);
  template <class Visit>
  void parts(Visit&& visit) {
    visit("w1", w1);
    visit("b1", b1);
    visit("w2", w2);
    visit("b2", b2);
  }
  Tensor operator()(const Tensor& x) const { return matmul(relu(matmul(x, w1) + b1), w2) + b2; }
};

/// The gradients are written out with the library's verbs: what those of value_and_grad are measured against.
class PerceptronByHand {
 public:
  PerceptronByHand(const Device& device, uint64_t seed);
  /// One step on a batch: x (batch, 784), labels (batch,) i32. Returns the loss before the step, a scalar; does not
  /// wait.
  Tensor step(const Tensor& x, const Tensor& labels);

 private:
  struct Parameter {
    Tensor value, velocity;
    explicit Parameter(const Tensor& x);
    void descend(const Tensor& gradient);
  };
  explicit PerceptronByHand(const PerceptronWeights& weights);

  Parameter w1_, b1_, w2_, b2_;
};

/// The same step by nn::value_and_grad and optim::Sgd.
class PerceptronByGrad {
 public:
  PerceptronByGrad(const Device& device, uint64_t seed);
  Tensor step(const Tensor& x, const Tensor& labels);

 private:
  PerceptronWeights weights_;
  optim::Sgd optimiser_;
};

}  // namespace eglantine::perf::models
