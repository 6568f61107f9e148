#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace eglantine {

/// How much waits in a queue: kernels that have been submitted and not begun, and the bytes that they write. A program
/// that submits faster than its device computes waits here, so that its memory stays bounded, and so does the time that
/// a read, or the program's end, takes.
class Backlog {
 public:
  /// Kernels of a queue that is full: some milliseconds of the smallest, and a few MiB of the host's memory.
  static constexpr int64_t most_kernels = 1024;
  /// What they write: a third of a millisecond of a large GPU's memory, half a second of a processor's.
  static constexpr int64_t most_bytes = int64_t{1} << 30;

  /// A kernel was submitted. By one thread at a time.
  void add(int64_t bytes);
  /// A kernel has begun, or never will. On the worker.
  void remove(int64_t bytes);
  /// Waits while the backlog is full, until half of it is gone: the worker has enough to do until the waiting thread is
  /// awake. What is submitted next may overshoot.
  void wait_for_space();
  /// Nobody waits any more.
  void close();

 private:
  /// Less than 1 / `part` of what is bearable.
  bool is_below(int64_t part) const;
  bool may_go_on() const { return is_below(2) || closed_; }

  // Each counter has one writer at a time, so that counting costs no more than two stores.
  std::atomic<int64_t> kernels_added_ = 0, bytes_added_ = 0;
  std::atomic<int64_t> kernels_removed_ = 0, bytes_removed_ = 0;
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace eglantine
