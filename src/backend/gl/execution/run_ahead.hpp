#pragma once

#include <chrono>
#include <cstdint>

#include "backend/gl/execution/fences.hpp"

namespace eglantine::gl {

/// Bounds how far the worker runs ahead of a GPU, whose driver takes dispatches far faster than they run: a fence ends
/// each batch of work, and waits for the batch before. The device has the whole of a batch to do meanwhile.
class RunAhead {
 public:
  // A batch is full with any of these. Of the smallest dispatches (2.5 us each on an H200) a fence costs a thousandth,
  // and of those that write at 4 TB/s a hundredth.
  static constexpr int64_t most_dispatches = 1024;
  static constexpr int64_t most_bytes = int64_t{4} << 30;
  /// How long a read, or the program's end, may have to wait for two batches, as far as times are known.
  static constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(100);

  RunAhead(Context& context, Fences& fences) : context_(context), fences_(fences) {}
  ~RunAhead() { clear(); }
  RunAhead(const RunAhead&) = delete;
  RunAhead& operator=(const RunAhead&) = delete;

  /// Something was submitted that writes so many bytes, and takes so long where that is known. Throws DeviceError when
  /// the device turns out to be lost.
  void submitted(int64_t bytes, std::chrono::nanoseconds expected);
  /// Everything submitted has been waited for.
  void clear();

 private:
  void end_batch();

  Context& context_;
  Fences& fences_;
  int64_t dispatches_ = 0, bytes_ = 0;
  std::chrono::nanoseconds expected_{};
  GLsync before_ = nullptr;  ///< at the end of the batch before
};

}  // namespace eglantine::gl
