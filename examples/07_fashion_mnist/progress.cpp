#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <numeric>

#include "text.hpp"

namespace {

double mean_of_last(const std::vector<float>& losses, int64_t count) {
  const auto used = std::min<int64_t>(count, static_cast<int64_t>(losses.size()));
  return std::accumulate(losses.end() - used, losses.end(), 0.0) / static_cast<double>(std::max<int64_t>(used, 1));
}

}  // namespace

Progress::Progress(int64_t epoch, int64_t epochs, int64_t steps, int64_t batch)
    : epoch_(epoch),
      epochs_(epochs),
      steps_(steps),
      batch_(batch),
      terminal_(isatty(STDOUT_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

void Progress::show(int64_t step, const std::vector<float>& losses) {
  step_ = step;
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  mean_loss_ = mean_of_last(losses, step);
  if (terminal_) std::cout << "\r" << bar() << summary(mean_of_last(losses, 20)) << "\033[K" << std::flush;
}

void Progress::finish(double accuracy) const {
  std::cout << (terminal_ ? "\r" : "") << "epoch " << epoch_ << "/" << epochs_ << (step_ > 0 ? summary(mean_loss_) : "")
            << "  test accuracy " << fixed(accuracy, 4) << (terminal_ ? "\033[K" : "") << std::endl;
}

std::string Progress::bar() const {
  constexpr int64_t width = 24;
  const auto filled = static_cast<size_t>(width * step_ / steps_);
  return "epoch " + std::to_string(epoch_) + "/" + std::to_string(epochs_) + " [" + std::string(filled, '#') +
         std::string(static_cast<size_t>(width) - filled, '.') + "]";
}

std::string Progress::summary(double loss) const {
  const double rate = seconds_ > 0 ? static_cast<double>(step_ * batch_) / seconds_ : 0;
  return "  loss " + fixed(loss, 4) + "  " + fixed(rate, 0) + " images/s";
}
