#include "backend/gl/clock.hpp"

#include <chrono>

namespace eglantine::gl {

int64_t Clock::now() {
  const Functions& gl = context_.gl();
  if (gl.QueryCounter == nullptr) {
    fences_.wait(fences_.insert());
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  }
  if (query_ == 0) gl.GenQueries(1, &query_);
  gl.QueryCounter(query_, GL_TIMESTAMP);
  fences_.wait(fences_.insert());
  GLuint64 nanoseconds = 0;
  gl.GetQueryObjectui64v(query_, GL_QUERY_RESULT, &nanoseconds);
  context_.check("timestamp");
  return static_cast<int64_t>(nanoseconds);
}

}  // namespace eglantine::gl
