#pragma once

#include <array>
#include <csignal>
#include <vector>

#include "dataset.hpp"
#include "network.hpp"
#include "options.hpp"

using Confusion = std::array<std::array<int64_t, Dataset::classes>, Dataset::classes>;

struct WrongGuess {
  int64_t image;
  int32_t guess;
};

/// What the network makes of a data set.
struct Evaluation {
  double accuracy = 0;
  Confusion confusion{};  ///< [true class][guess]
  std::vector<WrongGuess> wrong;
};

struct TrainingLog {
  std::vector<float> losses;       ///< of every step
  std::vector<double> accuracies;  ///< on the test images, after each epoch, and where the training was stopped
  Evaluation last;
  int64_t steps_per_epoch = 0;
  double step_seconds = 0;  ///< spent in steps: without testing
  bool interrupted = false;

  double images_per_second(int64_t batch) const;
};

Evaluation evaluate_on(const Network& network, const Dataset& data, const eglantine::Device& device);

/// Trains as `options` say, showing progress on standard output, and tests after each epoch. Stops after the current
/// step when `stop` becomes true, and tests once more. Throws std::runtime_error when there are fewer images than a
/// batch.
TrainingLog train(Network& network, const Dataset& training, const Dataset& test, const Options& options,
                  const eglantine::Device& device, const volatile std::sig_atomic_t& stop);
