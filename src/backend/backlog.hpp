#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace eglantine {

/// What is queued: the kernels submitted and not started, and the bytes that they write. A thread that submits faster
/// than the device computes waits here, which bounds the program's memory and the time of a read, or of its end.
class Backlog {
 public:
  /// Kernels of a full queue: some milliseconds of the smallest ones, and a few MiB of host memory.
  static constexpr int64_t most_kernels = 1024;
  /// Bytes that they write: a third of a millisecond of a large GPU's bandwidth, half a second of a processor's.
  static constexpr int64_t most_bytes = int64_t{1} << 30;

  /// A kernel was submitted. Called by one thread at a time.
  void add(int64_t bytes);
  /// A kernel has started, or was dropped. On the worker.
  void remove(int64_t bytes);
  /// Waits while the backlog is full, until it is half empty, so that the worker has enough to do while the waiting
  /// thread wakes up. The next submission may exceed the limits.
  void wait_for_space();
  /// Lets all waiting threads go on; later calls do not wait.
  void close();

 private:
  /// Whether the backlog is below 1 / `part` of both limits.
  bool is_below(int64_t part) const;
  bool may_go_on() const { return is_below(2) || closed_; }

  // One writer at a time for each counter: counting is two plain stores.
  std::atomic<int64_t> kernels_added_ = 0, bytes_added_ = 0;
  std::atomic<int64_t> kernels_removed_ = 0, bytes_removed_ = 0;
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace eglantine
