#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

/// A progress bar for one epoch: redrawn in place on a terminal; elsewhere only its last line is printed.
class Progress {
 public:
  Progress(int64_t epoch, int64_t epochs, int64_t steps, int64_t batch);

  /// After `step` steps of the epoch; `losses` are those of the whole training, the newest last.
  void show(int64_t step, const std::vector<float>& losses);
  /// The epoch's line: its mean loss, its speed and the accuracy.
  void finish(double accuracy) const;
  /// From the start to the last show().
  double seconds() const { return seconds_; }

 private:
  std::string bar() const;
  std::string summary(double loss) const;

  int64_t epoch_, epochs_, steps_, batch_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  int64_t step_ = 0;
  double seconds_ = 0;
  double mean_loss_ = 0;
};
