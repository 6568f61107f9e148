#include "pace.hpp"

void Pace::add(int64_t steps, double seconds) {
  if (++measured_ == 2) {
    steps_ = 0;
    seconds_ = 0;
  }
  steps_ += steps;
  seconds_ += seconds;
}

double Pace::seconds_per_step() const { return steps_ > 0 ? seconds_ / static_cast<double>(steps_) : 0; }
