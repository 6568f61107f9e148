#pragma once

#include <cstdint>
#include <string>

#include "backend/gl/context/context.hpp"

namespace eglantine::gl {

/// Waits for the device with a time-out: a hung GPU becomes a DeviceError that names the kernel submitted last.
class Fences {
 public:
  /// `spin_nanoseconds`: how long wait() polls before it blocks.
  Fences(Context& context, int64_t timeout_nanoseconds, int64_t spin_nanoseconds)
      : context_(context), timeout_(timeout_nanoseconds), spin_nanoseconds_(spin_nanoseconds) {}

  void note_kernel(const std::string& name) { last_kernel_ = name; }  ///< the kernel that an error names
  GLsync insert();                                                    ///< after everything submitted so far
  void wait(GLsync fence);  ///< and deletes it; throws DeviceError on a time-out and when the device was lost

 private:
  GLenum spin(GLsync fence);
  GLenum poll(GLsync fence);
  Context& context_;
  int64_t timeout_, spin_nanoseconds_;
  std::string last_kernel_;
};

int64_t fence_timeout(bool software);  ///< in ns: $EGLANTINE_TIMEOUT_SECONDS, else 60 s on hardware, 600 s on software

}  // namespace eglantine::gl
