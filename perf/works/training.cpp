#include <cmath>
#include <memory>
#include <random>

#include "examples/07_fashion_mnist/batches.hpp"
#include "perf/works/models/perceptron.hpp"
#include "perf/works/works.hpp"

namespace eglantine::perf {

namespace {

constexpr int64_t batch = 128, steps_a_read = 20, images = 6400;

/// Noise instead of pictures: as fast to learn from, and there on every machine.
Dataset random_dataset() {
  Dataset data;
  std::mt19937 random(1);
  for (int64_t i = 0; i < images * Dataset::pixels; ++i)
    data.images.push_back(static_cast<float>(random() >> 8) * 0x1p-24F);
  for (int64_t i = 0; i < images; ++i) data.labels.push_back(static_cast<int32_t>(random() % Dataset::classes));
  return data;
}

/// The demo's loop around steps of a perceptron: batches are gathered on the device, losses read after every 20 steps.
template <class Perceptron>
class Training {
 public:
  explicit Training(const Device& device)
      : network_(device, 1), batches_(on_device(random_dataset(), device), batch, 1) {}

  std::vector<float> run() {
    std::vector<Tensor> losses;
    for (int64_t i = 0; i < steps_a_read; ++i) {
      const Batch next = batches_[step_++ % batches_.count()];
      losses.push_back(network_.step(next.images, next.labels));
    }
    return stack(losses, 0).to_vector<float>();
  }

 private:
  Perceptron network_;
  ShuffledBatches batches_;
  int64_t step_ = 0;
};

/// The losses of the first steps against those of the step by hand on the CPU: what training does to rounding errors
/// stays small so early.
template <class Perceptron>
std::string problem_on(const Device& device) {
  const std::vector<float> actual = Training<Perceptron>(device).run(),
                           expected = Training<models::PerceptronByHand>(Device::open("cpu")).run();
  for (size_t i = 0; i < actual.size(); ++i)
    if (!(std::abs(actual[i] - expected[i]) <= 1e-3F))
      return "the loss of step " + std::to_string(i) + " is " + std::to_string(actual[i]) + ", not " +
             std::to_string(expected[i]);
  return "";
}

template <class Perceptron>
Work work_of(const std::string& name) {
  Work work;
  work.name = name + "/" + std::to_string(batch);
  work.on_host = true;
  work.steps = static_cast<double>(steps_a_read);
  work.items = static_cast<double>(batch * steps_a_read);
  work.prepare = [](const Device& device) {
    const auto training = std::make_shared<Training<Perceptron>>(device);
    return Prepared{{[training] {
                      training->run();
                      return Tensors{};
                    }},
                    [device] { return problem_on<Perceptron>(device); }};
  };
  return work;
}

}  // namespace

Work training_work() { return work_of<models::PerceptronByHand>("fashion_mnist"); }

Work training_by_grad_work() { return work_of<models::PerceptronByGrad>("fashion_mnist_by_grad"); }

}  // namespace eglantine::perf
