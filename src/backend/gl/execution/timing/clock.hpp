#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.hpp"
#include "backend/gl/execution/timing/fences.hpp"

namespace eglantine::gl {

/// The device's clock: pairs of timestamps, never GL_TIME_ELAPSED, which llvmpipe reports as 1 ns around a dispatch.
/// Where GLES has no timer queries, the host's steady clock; a mark then waits for the device.
class Clock {
 public:
  Clock(Context& context, Fences& fences) : context_(context), fences_(fences) {}

  bool is_of_device() const { return context_.gl().QueryCounter != nullptr; }
  Mark mark();  ///< after everything submitted so far; release it by one take() or drop()
  bool is_reached(const Mark& mark) const;
  int64_t take(const Mark& mark);  ///< the mark's time in nanoseconds; waits
  void drop(const Mark& mark);
  int64_t now() { return take(mark()); }  ///< the time once everything submitted before has run, in nanoseconds

  int64_t host_offset();  ///< host's steady clock minus device's, in ns; measured again after a second, as they drift

 private:
  void measure_offset();
  Context& context_;
  Fences& fences_;
  std::vector<GLuint> free_queries_;
  int64_t host_offset_ = 0;
  int64_t offset_measured_ = 0;  ///< on the host's clock; 0 before the first time
};

}  // namespace eglantine::gl
