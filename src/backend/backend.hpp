#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "backend/buffer.hpp"
#include "eglantine/device.hpp"
#include "graph/device_limits.hpp"
#include "graph/kernel.hpp"

namespace eglantine {

/// Times Capabilities::spin_nanoseconds: who waits for kernels looks so long before it sleeps, giving its core to
/// whoever wants it. To be woken costs a kernel of half a millisecond a tenth of its time.
inline constexpr int kernel_spin_factor = 40;

/// What a device can do: what plans depend on, and what its queue does.
struct Capabilities : DeviceLimits {
  /// How long the worker and those who wait for it look for one another before they sleep; 0 where that would take
  /// time from the work itself.
  int64_t spin_nanoseconds = 0;
};

/// Counts since the device was opened.
struct Statistics {
  int64_t kernels = 0;     ///< run() calls
  int64_t dispatches = 0;  ///< glDispatchCompute calls; 0 on the CPU
  int64_t programs = 0;    ///< GL programs compiled
};

/// A point in a device's work; the backend's own to understand.
struct Mark {
  uint32_t query = 0;       ///< the GL query that will tell when; 0 where the time is known already
  int64_t nanoseconds = 0;  ///< when it was reached
};

/// What a device can be asked. No operation names: kernels are data. A backend is made and used on its queue's worker
/// thread alone, except info(), capabilities(), lost() and explain(), which any thread may call. Storage comes back to
/// the backend's pool when its unique_ptr goes, on the worker thread.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual const Capabilities& capabilities() const = 0;
  /// The device is gone (reset, hung, its display terminated): every call throws, and only opening it anew helps.
  virtual bool lost() const { return false; }
  /// The kernel as text: what describe() says, and on GL the GLSL that would run.
  virtual std::string explain(const Kernel& kernel) const = 0;

  /// At least `bytes` (> 0), padded to a multiple of 16; the contents are undefined. Throws OutOfMemoryError.
  virtual std::unique_ptr<Storage> allocate(int64_t bytes) = 0;
  /// The same, for what the host reads as soon as it has been computed: a backend may know a place that is read sooner.
  virtual std::unique_ptr<Storage> allocate_for_reading(int64_t bytes) { return allocate(bytes); }
  /// A copy where kernels read it as fast as anything else, or null where they do so already.
  virtual std::unique_ptr<Storage> copy_for_kernels(const Storage&) { return nullptr; }
  virtual void upload(Storage& to, int64_t offset, std::span<const std::byte> data) = 0;
  /// Waits for the kernels that write `from`.
  virtual void download(const Storage& from, int64_t offset, std::span<std::byte> data) = 0;
  /// Starts a kernel; its buffers all have storage. May return before it has run. Throws what it meets at once
  /// (ShaderError, OutOfMemoryError). Returns the check of its indices where that is open still, else null.
  virtual CheckPtr run(const Kernel& kernel) = 0;
  /// Settles every check that run() has returned: waits for their kernels. A backend that keeps too many of them open
  /// settles them by itself.
  virtual void settle() {}
  virtual void synchronize() = 0;
  /// Nothing is waiting to be submitted: what a driver still holds back should start.
  virtual void idle() {}
  virtual MemoryInfo memory() const = 0;
  virtual void trim() = 0;
  virtual Statistics statistics() const = 0;
  /// A point on the device's clock, in nanoseconds, once everything before it has run: a GL timestamp query, or the
  /// steady clock.
  virtual int64_t timestamp() = 0;
  /// Puts a mark behind the work submitted so far, and does not wait. Between two marks lies what was submitted between
  /// them, without the pause that waiting for a timestamp() puts before it.
  virtual Mark mark() = 0;
  /// When a mark was reached, on the clock of timestamp(). Waits for it. Once for each mark.
  virtual int64_t time_of(const Mark& mark) = 0;
  /// Every kernel that has been run is known to whoever records a profile; waits for those that still run.
  virtual void settle_profile() {}
};

}  // namespace eglantine
