#include "training.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "batches.hpp"
#include "progress.hpp"

using namespace eglantine;

namespace {

/// Reads the losses that have not been read yet: reading waits for the device, so it is done for many steps at once.
void collect(std::vector<Tensor>& pending, std::vector<float>& losses) {
  if (pending.empty()) return;
  for (const float loss : stack(pending, 0).to_vector<float>()) losses.push_back(loss);
  pending.clear();
}

/// Up to `steps` steps, fewer when `stop` becomes true; adds their losses and their time to the log.
void run_epoch(Network& network, const ShuffledBatches& batches, int64_t steps, Progress& progress, TrainingLog& log,
               const volatile std::sig_atomic_t& stop) {
  constexpr size_t steps_between_reads = 20;
  std::vector<Tensor> pending;
  int64_t step = 0;
  while (step < steps && stop == 0) {
    const Batch batch = batches[step];
    pending.push_back(network.step(batch.images, batch.labels));
    ++step;
    if (pending.size() < steps_between_reads && step < steps && stop == 0) continue;
    collect(pending, log.losses);
    progress.show(step, log.losses);
  }
  log.step_seconds += progress.seconds();
}

}  // namespace

double TrainingLog::images_per_second(int64_t batch) const {
  return step_seconds > 0 ? static_cast<double>(static_cast<int64_t>(losses.size()) * batch) / step_seconds : 0;
}

Evaluation evaluate_on(const Network& network, const Dataset& data, const Device& device) {
  Evaluation result;
  constexpr int64_t chunk = 1000;
  for (int64_t first = 0; first < data.count(); first += chunk) {
    const int64_t count = std::min(chunk, data.count() - first);
    const std::span images(data.image(first), static_cast<size_t>(count * Dataset::pixels));
    const auto guesses = network.classify(Tensor::from(images, {count, Dataset::pixels}, device)).to_vector<int32_t>();
    for (int64_t i = 0; i < count; ++i) {
      const int32_t truth = data.labels[static_cast<size_t>(first + i)], guess = guesses[static_cast<size_t>(i)];
      ++result.confusion[static_cast<size_t>(truth)][static_cast<size_t>(guess)];
      if (guess != truth) result.wrong.push_back({first + i, guess});
    }
  }
  result.accuracy = 1 - static_cast<double>(result.wrong.size()) / static_cast<double>(data.count());
  return result;
}

TrainingLog train(Network& network, const Dataset& training, const Dataset& test, const Options& options,
                  const Device& device, const volatile std::sig_atomic_t& stop) {
  TrainingLog log;
  log.steps_per_epoch = training.count() / options.batch;
  if (log.steps_per_epoch == 0)
    throw std::runtime_error("a batch of " + std::to_string(options.batch) + " is more than the " +
                             std::to_string(training.count()) + " training images");
  const Batch images = on_device(training, device);
  int64_t left = options.steps > 0 ? options.steps : options.epochs * log.steps_per_epoch;
  for (int64_t epoch = 0; epoch < options.epochs && left > 0 && (stop == 0 || epoch == 0); ++epoch) {
    network.set_rate(Schedule::rate(epoch, options.epochs));
    const ShuffledBatches batches(images, options.batch, options.seed + static_cast<uint64_t>(epoch));
    const int64_t steps = std::min(left, batches.count());
    Progress progress(epoch + 1, options.epochs, steps, options.batch);
    run_epoch(network, batches, steps, progress, log, stop);
    log.last = evaluate_on(network, test, device);
    log.accuracies.push_back(log.last.accuracy);
    progress.finish(log.last.accuracy);
    left -= steps;
  }
  log.interrupted = stop != 0;
  return log;
}
