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

/// How long the options make a training on so many images.
Length length_of(const Options& options, int64_t images) {
  constexpr int64_t quick_steps = 60;
  const int64_t per_epoch = images / options.batch, most = options.epochs * per_epoch;
  if (per_epoch == 0)
    throw std::runtime_error("a batch of " + std::to_string(options.batch) + " is more than the " +
                             std::to_string(images) + " training images");
  const int64_t asked = options.steps > 0 ? options.steps : options.quick ? quick_steps : most;
  return {std::min(asked, most), per_epoch};
}

/// Returns the loss before the step; does not wait.
Tensor step(Network& network, optim::AdamW& optimiser, const Batch& batch) {
  const auto [loss, gradients] = nn::value_and_grad(network, [&](const Network& model) {
    return cross_entropy(model(batch.images), batch.labels, {.label_smoothing = Recipe::smoothing});
  });
  optimiser.step(network, gradients);
  return loss;
}

/// Up to `steps` steps, fewer when `stop` becomes true; adds their losses to the log.
void run_epoch(Network& network, optim::AdamW& optimiser, const ShuffledBatches& batches, int64_t steps,
               Progress& progress, TrainingLog& log, const volatile std::sig_atomic_t& stop) {
  constexpr size_t steps_between_reads = 20;
  std::vector<Tensor> pending;
  int64_t done = 0;
  while (done < steps && stop == 0) {
    pending.push_back(step(network, optimiser, batches[done]));
    ++done;
    if (pending.size() < steps_between_reads && done < steps && stop == 0) continue;
    collect(pending, log.losses);
    progress.show(log.losses);
  }
}

/// What the network takes the images from `first` on for.
std::vector<int32_t> classes_of(const Network& network, const Dataset& data, int64_t first, int64_t count,
                                const Device& device) {
  const std::span images(data.image(first), static_cast<size_t>(count * Dataset::pixels));
  const Tensor logits = network(Tensor::from(images, {count, Dataset::pixels}, device));
  return argmax(logits, 1).to_vector<int32_t>();
}

}  // namespace

optim::AdamW Recipe::optimiser(int64_t steps) {
  const int64_t rising = std::max<int64_t>(steps / 10, 1), falling = std::max<int64_t>(steps - rising, 1);
  return {.rate = optim::then(optim::linear_warmup(peak_rate, rising), rising,
                              optim::cosine(peak_rate, last_rate, falling)),
          .decay = decay};
}

Evaluation evaluate_on(const Network& network, const Dataset& data, const Device& device) {
  Evaluation result;
  // Whole tiles of the kernels, which are then the simplest: llvmpipe compiles those for 1000 images four times as
  // long.
  const int64_t chunk = std::min<int64_t>(1024, data.count());
  for (int64_t done = 0; done < data.count();) {
    const int64_t first = std::min(done, data.count() - chunk);  // the last chunk has the shape of the others
    const auto guesses = classes_of(network, data, first, chunk, device);
    for (; done < first + chunk; ++done) {
      const int32_t truth = data.labels[static_cast<size_t>(done)], guess = guesses[static_cast<size_t>(done - first)];
      ++result.confusion[static_cast<size_t>(truth)][static_cast<size_t>(guess)];
      if (guess != truth) result.wrong.push_back({done, guess});
    }
  }
  result.accuracy = 1 - static_cast<double>(result.wrong.size()) / static_cast<double>(data.count());
  return result;
}

TrainingLog train(Network& network, const Dataset& training, const Dataset& test, const Options& options,
                  const Device& device, const volatile std::sig_atomic_t& stop) {
  TrainingLog log;
  log.length = length_of(options, training.count());
  optim::AdamW optimiser = Recipe::optimiser(log.length.steps);
  const Batch images = on_device(training, device);
  Progress progress(log.length, options.batch);
  for (int64_t epoch = 0; epoch < log.length.epochs() && (stop == 0 || epoch == 0); ++epoch) {
    const ShuffledBatches batches(images, options.batch,
                                  static_cast<uint64_t>(options.seed) + static_cast<uint64_t>(epoch));
    const int64_t left = log.length.steps - epoch * log.length.steps_per_epoch;
    run_epoch(network, optimiser, batches, std::min(left, batches.count()), progress, log, stop);
    log.last = evaluate_on(network, test, device);
    log.accuracies.push_back(log.last.accuracy);
    progress.finish_epoch(log.losses, log.last.accuracy);
  }
  log.pace = progress.pace();
  log.interrupted = stop != 0;
  return log;
}
