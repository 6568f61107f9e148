#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.hpp"
#include "backend/gl/execution/fences.hpp"

namespace eglantine::gl {

/// The device's clock. Pairs of timestamps, never GL_TIME_ELAPSED: llvmpipe answers 1 ns to that around a dispatch.
/// Where GLES has no timer queries it is the host's steady clock, and a mark waits for the device.
class Clock {
 public:
  Clock(Context& context, Fences& fences) : context_(context), fences_(fences) {}

  bool is_of_device() const { return context_.gl().QueryCounter != nullptr; }
  /// A timestamp behind everything submitted so far. Each is given back by one take() or drop().
  Mark mark();
  bool is_reached(const Mark& mark) const;
  /// When, in nanoseconds. Waits.
  int64_t take(const Mark& mark);
  void drop(const Mark& mark);
  /// Nanoseconds, once everything submitted before has run.
  int64_t now() { return take(mark()); }

  /// What to add to the device's nanoseconds for those of the host's steady clock. Measured anew now and then, since
  /// the two drift apart.
  int64_t host_offset();

 private:
  void measure_offset();
  Context& context_;
  Fences& fences_;
  std::vector<GLuint> free_queries_;
  int64_t host_offset_ = 0;
  int64_t offset_measured_ = 0;  ///< on the host's clock; 0 before the first time
};

}  // namespace eglantine::gl
