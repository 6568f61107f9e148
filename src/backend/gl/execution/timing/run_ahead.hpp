#pragma once

#include <chrono>
#include <cstdint>

#include "backend/gl/execution/timing/fences.hpp"

namespace eglantine::gl {

/// Bounds how far the worker runs ahead of a GPU, whose driver accepts dispatches far faster than they run: a fence
/// ends each batch, and submission waits for the batch before it. The device has a whole batch left to run meanwhile.
class RunAhead {
 public:
  using Clock = std::chrono::steady_clock;
  // Any limit ends a batch. Its fence takes an H200 about 20 us: 0.8 % of copies that write 4 GiB.
  static constexpr int64_t most_dispatches = 1024;
  /// A batch writes at most as much as the device wrote in a quarter of `longest` before, within these limits.
  static constexpr int64_t fewest_bytes = int64_t{4} << 30, most_bytes = int64_t{64} << 30;
  /// Bounds the time that a read, or the end of the program, waits for two batches, as far as times are known.
  static constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(100);

  RunAhead(Context& context, Fences& fences, Clock::time_point (*now)() = &Clock::now)
      : context_(context), fences_(fences), now_(now) {}
  ~RunAhead() { clear(); }
  RunAhead(const RunAhead&) = delete;
  RunAhead& operator=(const RunAhead&) = delete;

  /// Work was submitted: writes `bytes`, takes `expected` (0: unknown). Throws DeviceError when the device is lost.
  void submitted(int64_t bytes, std::chrono::nanoseconds expected);
  void clear();  ///< all submitted work was waited for

 private:
  void end_batch();
  void adapt(int64_t bytes, Clock::duration took);  ///< the device took so long to write so many bytes

  Context& context_;
  Fences& fences_;
  Clock::time_point (*now_)();
  int64_t dispatches_ = 0, bytes_ = 0;
  int64_t bytes_before_ = 0;  ///< of the previous batch
  int64_t bytes_of_batch_ = fewest_bytes;
  std::chrono::nanoseconds expected_{};
  GLsync before_ = nullptr;  ///< ends the previous batch
  Clock::time_point begun_;  ///< about when the device began that batch
};

}  // namespace eglantine::gl
