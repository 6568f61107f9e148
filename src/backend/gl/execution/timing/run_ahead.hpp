#pragma once

#include <chrono>
#include <cstdint>

#include "backend/gl/execution/timing/fences.hpp"

namespace eglantine::gl {

/// Bounds how far the worker runs ahead of a GPU, whose driver accepts dispatches far faster than they run: a fence
/// ends each batch, and submission waits for the batch before it. The device has a whole batch left to run meanwhile.
class RunAhead {
 public:
  // Any limit ends a batch. Its fence costs 0.1 % of the smallest dispatches (2.5 us on an H200), 1 % of 4 TB/s writes.
  static constexpr int64_t most_dispatches = 1024;
  static constexpr int64_t most_bytes = int64_t{4} << 30;
  /// Bounds the time that a read, or the end of the program, waits for two batches, as far as times are known.
  static constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(100);

  RunAhead(Context& context, Fences& fences) : context_(context), fences_(fences) {}
  ~RunAhead() { clear(); }
  RunAhead(const RunAhead&) = delete;
  RunAhead& operator=(const RunAhead&) = delete;

  /// Work was submitted: writes `bytes`, takes `expected` (0: unknown). Throws DeviceError when the device is lost.
  void submitted(int64_t bytes, std::chrono::nanoseconds expected);
  void clear();  ///< all submitted work was waited for

 private:
  void end_batch();

  Context& context_;
  Fences& fences_;
  int64_t dispatches_ = 0, bytes_ = 0;
  std::chrono::nanoseconds expected_{};
  GLsync before_ = nullptr;  ///< ends the previous batch
};

}  // namespace eglantine::gl
