#include <thread>
#include <vector>

#include "eglantine/layers.hpp"
#include "eglantine/nn.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/optim.hpp"
#include "support/devices.hpp"

/// Whole trainings of a perceptron: their bits, devices beside each other, and threads.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Models, WholeTrainings);

struct Perceptron {
  nn::Linear first, second;
  Perceptron(int64_t features, int64_t units, uint64_t seed)
      : first(features, units, seed), second(units, 10, seed + 1) {}
  template <class Visit>
  void parts(Visit&& visit) {
    visit("first", first);
    visit("second", second);
  }
  Tensor operator()(const Tensor& x) const { return second(relu(first(x))); }
};

struct Sizes {
  int64_t features, units, batch;
};

/// The losses of so many steps on the current device, over ten batches in turn.
std::vector<float> losses_of(const Sizes& sizes, int64_t steps, uint64_t seed) {
  Perceptron model(sizes.features, sizes.units, seed);
  optim::AdamW optimiser{.rate = 1e-3};
  std::vector<Tensor> losses;
  for (int64_t i = 0; i < steps; ++i) {
    const uint64_t of_batch = seed + 100 + 2 * static_cast<uint64_t>(i % 10);
    const Tensor x = uniform({sizes.batch, sizes.features}, of_batch);
    const Tensor labels = (uniform({sizes.batch}, of_batch + 1) * 10.0F).astype(DType::i32);
    const auto [loss, gradients] =
        nn::value_and_grad(model, [&](Perceptron& at) { return cross_entropy(at(x), labels); });
    optimiser.step(model, gradients);
    losses.push_back(loss.eval());
  }
  return stack(losses, 0).to_vector<float>();
}

EG_TEST(WholeTrainings, of_a_hundred_steps_repeats_its_bits_and_has_the_losses_of_the_cpu) {
  constexpr Sizes sizes{784, 128, 128};
  const Device here = device();
  const std::vector<float> losses = losses_of(sizes, 100, 1), again = losses_of(sizes, 100, 1);
  EXPECT_EQ(losses, again);
  EXPECT_LT(losses.back(), losses.front());
  Device::set_current(Device::open("cpu"));
  const std::vector<float> wanted = losses_of(sizes, 100, 1);
  Device::set_current(here);
  for (size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], wanted[i], 1e-5 * wanted[i]) << i;
}

EG_TEST(WholeTrainings, on_sixteen_threads_is_as_on_one) {
  constexpr Sizes sizes{24, 16, 8};
  const Device here = device();
  std::vector<std::vector<float>> found(16), wanted(found.size());
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = losses_of(sizes, 12, i);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      Device::set_current(here);
      found[i] = losses_of(sizes, 12, i);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], wanted[i]) << i;
}

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
  Tensor operator()(const Tensor& x) const { return matmul(relu(matmul(x, w1) + b1), w2) + b2; }
};

/// As many as the same step with its backward pass by hand (PerceptronByHand in perf/works/models) takes, or fewer.
EG_TEST(WholeTrainings, take_no_more_dispatches_a_step_than_one_by_hand) {
  constexpr int64_t by_hand = 11, steps = 4;
  Weights weights;
  optim::Sgd optimiser{.rate = 0.05, .momentum = 0.9};
  const Tensor x = uniform({128, 784}, 3).eval(), labels = (uniform({128}, 4) * 10.0F).astype(DType::i32).eval();
  const Tensor classes = arange(0, 10, 1, DType::i32);
  const auto step = [&] {
    const auto [loss, gradients] = nn::value_and_grad(weights, [&](const Weights& model) {
      return -sum(log_softmax(model(x), 1) * eq(labels.unsqueeze(1), classes).astype(DType::f32)) / 128.0F;
    });
    optimiser.step(weights, gradients);
    return loss.eval();
  };
  const float first = step().item<float>();
  device().synchronize();
  const auto before = statistics(device());
  Tensor loss;
  for (int64_t i = 0; i < steps; ++i) loss = step();
  EXPECT_LT(loss.item<float>(), first);
  const auto after = statistics(device());
  EXPECT_GT(after.kernels - before.kernels, 0);
  EXPECT_LE(after.kernels - before.kernels, by_hand * steps);
  EXPECT_LE(after.dispatches - before.dispatches, by_hand * steps);
}

}  // namespace
}  // namespace eglantine::test
