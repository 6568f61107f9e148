#pragma once

#include <cstdint>

#include "backend/gl/fences.hpp"

namespace eglantine::gl {

/// The device's clock. Pairs of timestamps, never GL_TIME_ELAPSED: llvmpipe answers 1 ns to that around a dispatch.
class Clock {
 public:
  Clock(Context& context, Fences& fences) : context_(context), fences_(fences) {}
  /// Nanoseconds, once everything submitted before has run. The host's steady clock where GLES has no timer queries.
  int64_t now();

 private:
  Context& context_;
  Fences& fences_;
  GLuint query_ = 0;
};

}  // namespace eglantine::gl
