#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eglantine/export.hpp"

namespace eglantine {

class DeviceState;

/// What a device is, what it can do, and, when it cannot be opened, why not.
struct EGLANTINE_API DeviceInfo {
  std::string name;    ///< "NVIDIA H200/PCIe/SSE2", "llvmpipe (LLVM 15.0.6, 256 bits)", "cpu"
  std::string driver;  ///< the driver's own version text
  std::string kind;    ///< "gl", "gles" or "cpu"
  std::string spec;    ///< what Device::open takes to open this one: "gl:0", "gles:0", "cpu"
  std::string uuid;    ///< hexadecimal; empty where the driver gives none
  std::string
      platform;  ///< how EGL reached it: "EGL device 0", "surfaceless", "GBM /dev/dri/renderD128"; empty for the CPU
  bool software = false;  ///< runs on the CPU
  bool available = true;  ///< false: `problem` says which step failed, the error and what to try
  std::string problem;
  std::vector<std::string> extensions;   ///< those that matter to Eglantine and are present
  std::vector<std::string> workarounds;  ///< rows of the table in docs/drivers.md that are in force on it
  int64_t max_block_bytes = 0;           ///< largest buffer range one kernel can bind; larger tensors run in windows
  int64_t max_bindings = 0;              ///< storage buffers one kernel can bind
  int64_t max_invocations = 0;           ///< invocations in a work group
  int64_t max_shared_bytes = 0;          ///< shared memory of a work group
  int64_t max_groups = 0;                ///< work groups in one dimension
  int64_t memory_bytes = 0;              ///< device memory, 0 where the driver does not say
  std::string tuning;                    ///< the file of choices measured on it that is in use; empty without one
};

/// Bytes of device memory.
struct EGLANTINE_API MemoryInfo {
  int64_t live = 0;          ///< in tensors
  int64_t pooled = 0;        ///< freed and kept for reuse
  int64_t peak = 0;          ///< the most that live was, since the start or since reset_peak()
  int64_t driver_total = 0;  ///< as the driver reports it, 0 where it does not
  int64_t driver_free = 0;
};

/// A device that tensors live on. A cheap handle; the device itself lives until the process ends.
/// Any thread may use it: each GL device has a thread of its own that alone makes its context current.
class EGLANTINE_API Device {
 public:
  /// Every device there is, hardware first, the CPU last. Never throws for a broken driver: `problem` says why it
  /// cannot be opened. Throws DeviceError where no thread can be started to look.
  static std::vector<DeviceInfo> list();

  /// Opens "gl", "gl:1" (the second GL device), "gl:llvmpipe" (part of the name), "gles", "gles:0", or "cpu".
  /// "" is $EGLANTINE_DEVICE, else the best: a hardware GL device, then a software one, then the CPU.
  /// Opening a device twice gives the same one, unless it was lost. Throws DeviceError, naming each device tried and
  /// why it failed.
  static Device open(std::string_view spec = "");

  /// The process's default device, opened by open("") on first use.
  static Device current();
  static void set_current(const Device& device);

  const DeviceInfo& info() const;

  /// Waits until everything submitted has run; throws the first error since the last call that nobody has received.
  /// What a read has thrown is not thrown here; every read of what failed throws it. Up to 256 errors wait for readers.
  void synchronize() const;

  MemoryInfo memory() const;

  /// Lets memory().peak begin again at what is live now, after everything submitted before has run: what a step needs
  /// is the peak at its end. Blocks stay in the pool.
  void reset_peak() const;

  /// Gives pooled memory back to the driver, and compiled programs too: kernels that come again are compiled again.
  void trim() const;

  bool operator==(const Device& other) const { return state_ == other.state_; }

  /// For the library's own use.
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  const std::shared_ptr<DeviceState>& state() const {
    if (state_ == nullptr) fail_moved_from();
    return state_;
  }

 private:
  [[noreturn]] static void fail_moved_from();

  std::shared_ptr<DeviceState> state_;
};

}  // namespace eglantine
