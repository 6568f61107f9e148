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

/// Threads that wait for a kernel spin for this many times Capabilities::spin_nanoseconds, yielding, before they block:
/// a wake-up costs a kernel of half a millisecond a tenth of its time.
inline constexpr int kernel_spin_factor = 40;

/// What plans depend on (DeviceLimits), and how the queue waits.
struct Capabilities : DeviceLimits {
  /// How long the worker and the threads that wait for it spin before they block; 0 where that would take time from
  /// work.
  int64_t spin_nanoseconds = 0;
};

/// Counts since the device was opened.
struct Statistics {
  int64_t kernels = 0;     ///< run() calls
  int64_t dispatches = 0;  ///< glDispatchCompute calls; 0 on the CPU
  int64_t programs = 0;    ///< GL programs compiled
};

/// A point in a device's work; opaque outside its backend.
struct Mark {
  uint32_t query = 0;       ///< the GL query that gives the time; 0 where `nanoseconds` holds it
  int64_t nanoseconds = 0;  ///< when the point was reached
};

/// A device's interface. No operation names: kernels are data. The queue's worker thread makes and uses a backend
/// alone; only info(), capabilities(), lost() and explain() may be called from any thread. Destroying a Storage, on the
/// worker thread, returns it to the backend's pool.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual const Capabilities& capabilities() const = 0;
  /// Whether the device is gone (reset, hung, its display terminated): every call throws, and only opening it again
  /// helps.
  virtual bool lost() const { return false; }
  /// The kernel as text: describe(), and on GL the GLSL that would run.
  virtual std::string explain(const Kernel& kernel) const = 0;

  /// At least `bytes` (> 0), padded to a multiple of 16; the contents are undefined. Throws OutOfMemoryError.
  virtual std::unique_ptr<Storage> allocate(int64_t bytes) = 0;
  /// allocate() for results that the host reads at once: in memory that the host reads faster, if there is any.
  virtual std::unique_ptr<Storage> allocate_for_reading(int64_t bytes) { return allocate(bytes); }
  /// A copy in memory that kernels read at full speed; null where `Storage` already lies in such memory.
  virtual std::unique_ptr<Storage> copy_for_kernels(const Storage&) { return nullptr; }
  virtual void upload(Storage& to, int64_t offset, std::span<const std::byte> data) = 0;
  /// Waits for the kernels that write `from`.
  virtual void download(const Storage& from, int64_t offset, std::span<std::byte> data) = 0;
  /// Starts a kernel, all of whose buffers have storage; may return before it has run. Throws ShaderError or
  /// OutOfMemoryError where it cannot start. Returns the check of its indices while that is unsettled, else null.
  virtual CheckPtr run(const Kernel& kernel) = 0;
  /// Settles every check that run() has returned, waiting for its kernel. Backends bound the number of open checks.
  virtual void settle() {}
  virtual void synchronize() = 0;
  /// Called when no command is waiting: the backend submits what the driver still holds back.
  virtual void idle() {}
  virtual MemoryInfo memory() const = 0;
  virtual void trim() = 0;
  virtual Statistics statistics() const = 0;
  /// The device's clock in nanoseconds after everything submitted before: a GL timestamp query, or the steady clock.
  virtual int64_t timestamp() = 0;
  /// Marks the end of the work submitted so far; does not wait. Two marks time what was submitted between them, without
  /// the idle time that waiting for a timestamp() would add.
  virtual Mark mark() = 0;
  /// When the mark was reached, on the clock of timestamp(). Waits. Call once for each mark.
  virtual int64_t time_of(const Mark& mark) = 0;
  /// Reports every kernel that was run to the profile's recorders; waits for those still running.
  virtual void settle_profile() {}
};

}  // namespace eglantine
