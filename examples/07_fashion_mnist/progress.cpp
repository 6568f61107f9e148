#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <utility>

#include "text.hpp"

namespace {

double mean_of_last(const std::vector<float>& losses, int64_t count) {
  const auto used = std::min<int64_t>(count, static_cast<int64_t>(losses.size()));
  return std::accumulate(losses.end() - used, losses.end(), 0.0) / static_cast<double>(std::max<int64_t>(used, 1));
}

}  // namespace

Progress::Progress(const Length& length, int64_t batch)
    : length_(length), batch_(batch), terminal_(isatty(STDOUT_FILENO) != 0), mark_(std::chrono::steady_clock::now()) {}

void Progress::show(const std::vector<float>& losses) {
  const auto steps = static_cast<int64_t>(losses.size());
  pace_.add(steps - steps_, lap());
  steps_ = steps;
  if (terminal_)
    std::cout << "\r" << head() << bar() << summary(mean_of_last(losses, 20)) << left() << "\033[K" << std::flush;
}

void Progress::finish_epoch(const std::vector<float>& losses, double accuracy) {
  const double seconds = lap();
  if (epochs_done_ > 0) test_seconds_ = seconds;
  const std::string speed = steps_in_epoch() > 0 ? summary(mean_of_last(losses, steps_in_epoch())) : "";
  std::cout << (terminal_ ? "\r" : "") << head() << speed << "  test accuracy " << fixed(accuracy, 4);
  ++epochs_done_;
  std::cout << (steps_ < length_.steps ? left() : "") << (terminal_ ? "\033[K" : "") << std::endl;
}

/// Seconds since the last lap.
double Progress::lap() {
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(now - std::exchange(mark_, now)).count();
}

std::string Progress::head() const {
  return "epoch " + std::to_string(epochs_done_ + 1) + "/" + std::to_string(length_.epochs());
}

std::string Progress::bar() const {
  constexpr int64_t width = 20;
  const int64_t steps = std::min(length_.steps_per_epoch, length_.steps - epochs_done_ * length_.steps_per_epoch);
  const auto filled = static_cast<size_t>(width * steps_in_epoch() / steps);
  return " [" + std::string(filled, '#') + std::string(static_cast<size_t>(width) - filled, '.') + "]";
}

std::string Progress::summary(double loss) const {
  const double seconds = pace_.seconds_per_step();
  const double rate = seconds > 0 ? static_cast<double>(batch_) / seconds : 0;
  return "  loss " + fixed(loss, 4) + "  " + fixed(rate, 0) + " images/s";
}

/// What the whole training is going to take, at the pace of its steps and of its last test.
std::string Progress::left() const {
  const auto steps = static_cast<double>(length_.steps - steps_);
  const auto tests = static_cast<double>(length_.epochs() - epochs_done_);
  return "  " + clock_text(steps * pace_.seconds_per_step() + tests * test_seconds_) + " left";
}
