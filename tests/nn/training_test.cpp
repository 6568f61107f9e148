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

}  // namespace
}  // namespace eglantine::test
