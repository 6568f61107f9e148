#pragma once

#include <eglantine/eglantine.hpp>
#include <vector>

/// How fast the network learns.
struct Schedule {
  static constexpr float momentum = 0.9F;
  static constexpr float first_rate = 0.05F;
  static constexpr float last_rate = 0.005F;
  /// The learning rate of an epoch, counted from 0: falls from the first to the last by the same factor after each.
  static float rate(int64_t epoch, int64_t epochs);
};

/// A perceptron 784-128-10: softmax(relu(x W1 + b1) W2 + b2), trained by stochastic gradient descent with momentum on
/// the mean cross-entropy. The gradients are written out with the library's verbs.
class Network {
 public:
  Network(const eglantine::Device& device, uint64_t seed);

  /// One step on a batch: x (batch, 784), labels (batch,) i32. Returns the loss before the step, a scalar; does not
  /// wait.
  eglantine::Tensor step(const eglantine::Tensor& x, const eglantine::Tensor& labels);
  /// The most likely class of each row of x, i32.
  eglantine::Tensor classify(const eglantine::Tensor& x) const;
  void set_rate(float rate) { rate_ = rate; }
  /// W1 as (128, 784): what each hidden unit looks for.
  std::vector<float> first_layer() const;

 private:
  struct Parameter {
    eglantine::Tensor value, velocity;
  };
  static Parameter zero_parameter(eglantine::Shape shape, const eglantine::Device& device);
  static Parameter random_parameter(eglantine::Shape shape, float scale, uint64_t seed,
                                    const eglantine::Device& device);
  void descend(Parameter& parameter, const eglantine::Tensor& gradient) const;

  float rate_ = Schedule::first_rate;
  Parameter w1_, b1_, w2_, b2_;
};
