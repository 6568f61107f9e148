#include "backend/gl/execution/timing/run_ahead.hpp"

#include <algorithm>
#include <utility>

namespace eglantine::gl {

void RunAhead::submitted(int64_t bytes, std::chrono::nanoseconds expected) {
  ++dispatches_;
  bytes_ += bytes;
  expected_ += expected;
  if (dispatches_ >= most_dispatches || bytes_ >= bytes_of_batch_ || expected_ >= longest) end_batch();
}

void RunAhead::end_batch() {
  const int64_t bytes = std::exchange(bytes_before_, std::exchange(bytes_, 0));
  dispatches_ = 0;
  expected_ = {};
  GLsync before = std::exchange(before_, fences_.insert());
  if (before != nullptr) {
    fences_.wait(before);
    adapt(bytes, now_() - begun_);
  }
  begun_ = now_();
}

void RunAhead::adapt(int64_t bytes, Clock::duration took) {
  const std::chrono::duration<double> time = std::max(took, Clock::duration(1)), wanted = longest / 4;
  // Not more than twice as much: after a pause of the program the device ends a batch before its time is looked at.
  const double written =
      std::min(static_cast<double>(bytes) * (wanted / time), 2.0 * static_cast<double>(bytes_of_batch_));
  bytes_of_batch_ = static_cast<int64_t>(std::clamp<double>(written, fewest_bytes, most_bytes));
}

void RunAhead::clear() {
  dispatches_ = bytes_ = 0;
  expected_ = {};
  GLsync before = std::exchange(before_, nullptr);
  if (before != nullptr && !context_.lost()) context_.gl().DeleteSync(before);
}

}  // namespace eglantine::gl
