#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "eglantine/export.hpp"

/// What ran, for how long, and how fast it moved its data.
///
/// With EGLANTINE_PROFILE=trace.json in its environment any program writes such a profile when it ends, and a table to
/// its standard error output. The file is in the Chrome trace format: open it in https://ui.perfetto.dev or
/// chrome://tracing.
namespace eglantine {

/// All runs of the kernels that are described by one line, on one device.
struct EGLANTINE_API ProfiledKernel {
  std::string device;       ///< its spec and name: "gl:0 NVIDIA H200/PCIe/SSE2"
  std::string kernel;       ///< as explain() says: "map f32 (4096, 784): mul, add, exp of 3 operands"
  int64_t runs = 0;         ///< finished ones
  double seconds = 0;       ///< of all runs together, on the device's own clock
  double shortest = 0;      ///< seconds of a run
  double longest = 0;       ///< seconds of a run
  double bytes = 0;         ///< read and written by all runs, each element of an operand counted once
  double operations = 0;    ///< multiplications and additions of matrix products; 0 for other kernels
  bool host_clock = false;  ///< the device has no timer (OpenGL ES 3.1): what its worker thread took to run the kernel
};

struct EGLANTINE_API ProfileSummary {
  std::vector<ProfiledKernel> kernels;  ///< longest in all first
  int64_t runs_left_out = 0;            ///< counted above, but more than the 500,000 that the file keeps
};

/// A table: milliseconds in all, share, runs, microseconds a run, GB/s, GFLOP/s and the kernel's line.
EGLANTINE_API std::ostream& operator<<(std::ostream& out, const ProfileSummary& summary);

/// Records the kernels that are submitted to any device from construction to stop(). Several profiles may be recorded
/// at a time, on any threads. While there is none, it costs nothing. Recorded kernels are timed on the device (a pair
/// of timestamps around each dispatch, read when they have arrived, so that nothing waits), or by the steady clock on
/// the CPU; times of all devices are mapped to the steady clock.
class EGLANTINE_API Profile {
 public:
  /// Records for summary() alone.
  Profile();
  /// Also writes the trace to `file` when it stops: each kernel with its line, bytes, GB/s, and on GL the GLSL of its
  /// programs; compilations and transfers on a track of their own. Throws FileError, now rather than later, when the
  /// file cannot be written.
  explicit Profile(const std::filesystem::path& file);
  /// Stops. What stop() would throw becomes a line on the standard error output.
  ~Profile();
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;

  /// Waits for what has been submitted to every device, ends the recording and writes the file. A second call does
  /// nothing, and gives the same. Throws FileError.
  const ProfileSummary& stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eglantine
