#pragma once

#include <array>
#include <csignal>
#include <vector>

#include "dataset.hpp"
#include "network.hpp"
#include "options.hpp"
#include "pace.hpp"
#include "progress.hpp"

using Confusion = std::array<std::array<int64_t, Dataset::classes>, Dataset::classes>;

struct WrongGuess {
  int64_t image;
  int32_t guess;
};

/// How the network learns: AdamW, whose rate rises in the first tenth of the steps, then falls along half a wave of a
/// cosine.
struct Recipe {
  static constexpr double peak_rate = 0.004, last_rate = 4e-6, decay = 0.1;
  static constexpr double smoothing = 0.05;  ///< of the labels
  static eglantine::optim::AdamW optimiser(int64_t steps);
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
  Length length{};
  Pace pace;  ///< of steps: without testing
  bool interrupted = false;
};

Evaluation evaluate_on(const Network& network, const Dataset& data, const eglantine::Device& device);

/// Trains as `options` say, showing progress on standard output, and tests after each epoch. Stops after the current
/// step when `stop` becomes true, and tests once more. Throws std::runtime_error when there are fewer images than a
/// batch.
TrainingLog train(Network& network, const Dataset& training, const Dataset& test, const Options& options,
                  const eglantine::Device& device, const volatile std::sig_atomic_t& stop);
