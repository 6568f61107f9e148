#include "backend/gl/execution/timing/run_ahead.hpp"

#include <utility>

namespace eglantine::gl {

void RunAhead::submitted(int64_t bytes, std::chrono::nanoseconds expected) {
  ++dispatches_;
  bytes_ += bytes;
  expected_ += expected;
  if (dispatches_ >= most_dispatches || bytes_ >= most_bytes || expected_ >= longest) end_batch();
}

void RunAhead::end_batch() {
  dispatches_ = bytes_ = 0;
  expected_ = {};
  GLsync before = std::exchange(before_, fences_.insert());
  if (before != nullptr) fences_.wait(before);
}

void RunAhead::clear() {
  dispatches_ = bytes_ = 0;
  expected_ = {};
  GLsync before = std::exchange(before_, nullptr);
  if (before != nullptr && !context_.lost()) context_.gl().DeleteSync(before);
}

}  // namespace eglantine::gl
