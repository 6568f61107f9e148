#include "perf/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <deque>

#include "backend/device_state.hpp"
#include "perf/inputs.hpp"

namespace eglantine::perf {

namespace {

using Time = std::chrono::steady_clock;

double since(Time::time_point start) { return std::chrono::duration<double>(Time::now() - start).count(); }

/// Of this thread: where it waits for the device, no time passes.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Makes the calls of a work in turn, and holds results for a while: so the pool hands out other memory than what was
/// just written, as inputs change too.
class Caller {
 public:
  explicit Caller(const Prepared& prepared) : prepared_(prepared) {}

  void call() {
    const Tensors results = prepared_.calls[next_++ % prepared_.calls.size()]();
    eval(results);
    for (const Tensor& result : results) hold(result);
    has_cycled_ |= results.empty();
  }
  /// Every further result goes where an earlier one was: no memory is new to the pool.
  bool has_cycled() const { return has_cycled_; }
  void calls(int64_t count) {
    for (int64_t i = 0; i < count; ++i) call();
  }

 private:
  void hold(const Tensor& result) {
    held_.push_back(result);
    held_bytes_ += bytes_of(result);
    while (held_.size() > fewest_sets && (held_bytes_ > rotation_bytes || held_.size() > most_held)) {
      held_bytes_ -= bytes_of(held_.front());
      held_.pop_front();
      has_cycled_ = true;
    }
  }
  static double bytes_of(const Tensor& x) {
    const auto width = static_cast<double>(x.dtype() == DType::boolean ? 1 : size_of(x.dtype()));
    return width * static_cast<double>(x.size());
  }

  static constexpr size_t most_held = 256;
  const Prepared& prepared_;
  size_t next_ = 0;
  std::deque<Tensor> held_;
  double held_bytes_ = 0;
  bool has_cycled_ = false;
};

class Measuring {
 public:
  Measuring(const Work& work, const Prepared& prepared, const Device& device, const Effort& effort)
      : work_(work), caller_(prepared), device_(device), effort_(effort) {}

  Figures run() {
    warm_up();
    device_.reset_peak();
    Figures figures;
    figures.calls = calls_for(call_seconds_);
    std::vector<double> device, wall;
    // In turn, so that whatever disturbs the machine for a while disturbs both.
    for (int i = 0; i < effort_.samples; ++i) {
      if (!work_.on_host) device.push_back(device_sample(figures.calls));
      wall.push_back(wall_sample(std::max<int64_t>(1, calls_for(waited_seconds_) / 2)));
    }
    figures.peak_bytes = device_.memory().peak;
    figures.device = Spread(device);
    figures.wall = Spread(wall);
    figures.caller = Spread(caller_seconds_);
    return figures;
  }

 private:
  /// While a work is compiled and checked on the host a card lowers its clock, an H200 from 1,980 to 345 MHz, and takes
  /// a third of a second of work to raise it again. The same rule is peers' (peers/measuring.py).
  double warm_seconds() const {
    constexpr double slow_start = 0.5;
    return device_.info().software ? effort_.warm_seconds : std::max(effort_.warm_seconds, slow_start);
  }

  /// At least twice, for the first bunch compiles; and until memory goes round, for new memory is slow, though not
  /// beside calls that still have not made it go round after five seconds.
  void warm_up() {
    const auto start = Time::now();
    int64_t count = 1;
    for (int bunch = 0; bunch < 2 || since(start) < warm_seconds() || (!caller_.has_cycled() && since(start) < 5);
         ++bunch) {
      const auto begin = Time::now();
      caller_.calls(count);
      device_.synchronize();
      call_seconds_ = since(begin) / static_cast<double>(count);
      if (bunch > 0) count = std::clamp<int64_t>(calls_for(call_seconds_), 1, 2 * count);
    }
    waited_seconds_ = wall_sample(1) * work_.steps;
  }

  int64_t calls_for(double seconds) const {
    constexpr double most_calls = 20000;
    return static_cast<int64_t>(std::clamp(effort_.sample_seconds / std::max(seconds, 1e-9), 1.0, most_calls));
  }

  Mark mark() {
    Mark made;
    device_.state()->queue().call([&](Backend& backend) { made = backend.mark(); });
    return made;
  }

  double device_sample(int64_t count) {
    caller_.call();  // the device is busy when the first mark comes, so that no pause counts
    const Mark begin = mark();
    const double start = processor_seconds();
    caller_.calls(count);
    caller_seconds_.push_back((processor_seconds() - start) / static_cast<double>(count) / work_.steps);
    const Mark end = mark();
    int64_t nanoseconds = 0;
    device_.state()->queue().call([&](Backend& backend) {
      const int64_t stop = backend.time_of(end);
      nanoseconds = stop - backend.time_of(begin);
    });
    return static_cast<double>(nanoseconds) * 1e-9 / static_cast<double>(count) / work_.steps;
  }

  double wall_sample(int64_t count) {
    double seconds = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto start = Time::now();
      caller_.call();
      device_.synchronize();
      seconds += since(start);
    }
    return seconds / static_cast<double>(count) / work_.steps;
  }

  const Work& work_;
  Caller caller_;
  const Device& device_;
  const Effort& effort_;
  double call_seconds_ = 0;    ///< of a call in a row of them
  double waited_seconds_ = 0;  ///< of a call that is waited for
  std::vector<double> caller_seconds_{};
};

}  // namespace

Spread::Spread(std::vector<double> samples) : samples_(std::move(samples)) {
  std::sort(samples_.begin(), samples_.end());
}

double Spread::at(double share) const {
  const double place = share * static_cast<double>(samples_.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, samples_.size() - 1);
  return samples_[below] + (place - std::floor(place)) * (samples_[above] - samples_[below]);
}

Figures measure(const Work& work, const Prepared& prepared, const Device& device, const Effort& effort) {
  return Measuring(work, prepared, device, effort).run();
}

}  // namespace eglantine::perf
