#include "backend/gl/execution/timing/clock.hpp"

#include <limits>

#include "profile/recorder.hpp"

namespace eglantine::gl {

using profile::host_now;

Mark Clock::mark() {
  if (!is_of_device()) {
    fences_.wait(fences_.insert());
    return {.nanoseconds = host_now()};
  }
  if (free_queries_.empty()) {
    free_queries_.resize(32);
    context_.gl().GenQueries(static_cast<GLsizei>(free_queries_.size()), free_queries_.data());
  }
  const GLuint query = free_queries_.back();
  free_queries_.pop_back();
  context_.gl().QueryCounter(query, GL_TIMESTAMP);
  return {.query = query};
}

bool Clock::is_reached(const Mark& mark) const {
  if (mark.query == 0) return true;
  GLuint64 available = GL_FALSE;
  context_.gl().GetQueryObjectui64v(mark.query, GL_QUERY_RESULT_AVAILABLE, &available);
  return available == GL_TRUE;
}

int64_t Clock::take(const Mark& mark) {
  if (mark.query == 0) return mark.nanoseconds;
  if (!is_reached(mark)) fences_.wait(fences_.insert());  // has a time limit, unlike reading the result
  GLuint64 nanoseconds = 0;
  context_.gl().GetQueryObjectui64v(mark.query, GL_QUERY_RESULT, &nanoseconds);
  drop(mark);
  context_.check("timestamp");
  return static_cast<int64_t>(nanoseconds);
}

void Clock::drop(const Mark& mark) {
  if (mark.query != 0) free_queries_.push_back(mark.query);
}

int64_t Clock::host_offset() {
  constexpr int64_t second = 1'000'000'000;
  if (!is_of_device()) return 0;
  if (offset_measured_ == 0 || host_now() - offset_measured_ > second) measure_offset();
  return host_offset_;
}

/// Reads the device's clock between two reads of the host's: of five tries the one with the shortest interval.
void Clock::measure_offset() {
  int64_t narrowest = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    GLint64 device = 0;
    const int64_t before = host_now();
    context_.gl().GetInteger64v(GL_TIMESTAMP, &device);
    const int64_t after = host_now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    host_offset_ = before + narrowest / 2 - device;
  }
  offset_measured_ = host_now();
}

}  // namespace eglantine::gl
