#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "backend/buffer.hpp"
#include "backend/read_bytes.hpp"
#include "eglantine/device.hpp"
#include "graph/device_limits.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine {

/// Waiters spin for this x spin_nanoseconds, yielding, before they block: a wake-up costs 10 % of a 0.5 ms kernel.
inline constexpr int kernel_spin_factor = 40;

/// What plans depend on (DeviceLimits), and how the queue waits.
struct Capabilities : DeviceLimits {
  int64_t spin_nanoseconds = 0;  ///< spin time of the worker and its waiters; 0 where it takes time from work
};

/// $EGLANTINE_ROW_CHAINS, "on" (the default) or "off": DeviceLimits::row_chains. Throws DeviceError for any other text.
bool row_chains_setting();

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

/// A device. Made and called by its queue's worker alone; info(), capabilities(), lost() and explain() by any thread.
/// Kernels are data: no operation names. Destroying a Storage, on the worker, returns it to the backend's pool.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual const Capabilities& capabilities() const = 0;
  /// Whether the device is gone (reset, hung, display terminated): every call throws; only opening it again helps.
  virtual bool lost() const { return false; }
  virtual std::string explain(const Kernel& kernel) const = 0;  ///< describe(), and on GL the GLSL that would run

  /// At least `bytes` (> 0), padded to a multiple of 16; the contents are undefined. Throws OutOfMemoryError.
  virtual std::unique_ptr<Storage> allocate(int64_t bytes) = 0;
  /// allocate() for results that the host reads at once: in memory that the host reads faster, if there is any.
  virtual std::unique_ptr<Storage> allocate_for_reading(int64_t bytes) { return allocate(bytes); }
  /// A copy in memory that kernels read at full speed; null where `Storage` already lies in such memory.
  virtual std::unique_ptr<Storage> copy_for_kernels(const Storage&) { return nullptr; }
  virtual void upload(Storage& to, int64_t offset, std::span<const std::byte> data) = 0;
  /// Uploads `bytes` (> 0) bytes that `read` gives, in parts of a multiple of 8 but for the last: read to where they
  /// stay if that is the host's memory, else to memory that the device copies from. Throws what `read` throws.
  virtual void upload_read(Storage& to, int64_t bytes, const ReadBytes& read) = 0;
  /// Waits for the kernels that write `from`.
  virtual void download(const Storage& from, int64_t offset, std::span<std::byte> data) = 0;
  /// Whether prepare() of the kernels that come next may save time: programs were compiled just now.
  virtual bool looks_ahead() const { return false; }
  /// A hint that run() of the kernel will follow: begins with what takes long, in the background. Its buffers need no
  /// storage. What it throws run() throws again.
  virtual void prepare(const Kernel&) {}
  /// Starts a kernel, all of whose buffers have storage; may return before it has run. Throws ShaderError or
  /// OutOfMemoryError where it cannot start. Returns the check of its indices, or null where that is good.
  virtual CheckPtr run(const Kernel& kernel) = 0;
  /// Settles every check that run() has returned, waiting for its kernel. Backends bound the number of open checks.
  virtual void settle() {}
  /// Settles the open checks that may read `buffer` again, before a kernel overwrites what it holds.
  virtual void settle_readers_of(const Buffer&) {}
  virtual void synchronize() = 0;
  virtual void idle() {}  ///< called when no command is waiting: submits what the driver still holds back
  virtual MemoryInfo memory() const = 0;
  virtual void reset_peak() = 0;  ///< memory().peak begins again at what is live
  virtual void trim() = 0;
  virtual Statistics statistics() const = 0;
  /// The device's clock in nanoseconds after everything submitted before: a GL timestamp query, or the steady clock.
  virtual int64_t timestamp() = 0;
  /// Marks the end of the submitted work; does not wait. Two marks time the work between without timestamp()'s wait.
  virtual Mark mark() = 0;
  virtual int64_t time_of(const Mark& mark) = 0;  ///< its time on timestamp()'s clock; waits; call once for each mark
  virtual void settle_profile() {}  ///< reports every kernel run to the profile's recorders; waits for running ones
};

}  // namespace eglantine
