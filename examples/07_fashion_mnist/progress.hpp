#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pace.hpp"

/// How long a training is.
struct Length {
  int64_t steps, steps_per_epoch;
  int64_t epochs() const { return (steps + steps_per_epoch - 1) / steps_per_epoch; }  ///< begun ones count
};

/// A progress bar for each epoch, redrawn in place on a terminal; elsewhere only an epoch's last line is printed.
class Progress {
 public:
  Progress(const Length& length, int64_t batch);

  /// After the steps whose losses these are, all since the training began.
  void show(const std::vector<float>& losses);
  /// After an epoch's last step and its test: its mean loss, the speed, the accuracy and what is left.
  void finish_epoch(const std::vector<float>& losses, double accuracy);
  const Pace& pace() const { return pace_; }

 private:
  double lap();
  int64_t steps_in_epoch() const { return steps_ - epochs_done_ * length_.steps_per_epoch; }
  std::string head() const;
  std::string bar() const;
  std::string summary(double loss) const;
  std::string left() const;

  Length length_;
  int64_t batch_;
  bool terminal_;
  std::chrono::steady_clock::time_point mark_;
  int64_t steps_ = 0, epochs_done_ = 0;
  Pace pace_;
  double test_seconds_ = 0;  ///< of the last test but the first, in which kernels are compiled
};
