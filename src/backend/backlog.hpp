#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace eglantine {

/// Kernels queued, and the bytes they write; when full, submitters wait: bounds memory and the time of reads and exit.
class Backlog {
 public:
  static constexpr int64_t most_kernels = 1024;            ///< some ms of the smallest, a few MiB of host memory
  static constexpr int64_t most_bytes = int64_t{1} << 30;  ///< 0.3 ms of a large GPU's bandwidth, 0.5 s of a CPU's

  void add(int64_t bytes);     ///< called by one thread at a time
  void remove(int64_t bytes);  ///< on the worker, when a kernel has started or was dropped
  /// While full, waits until half empty: the rest outlasts the wake-up. The next submission may exceed the limits.
  void wait_for_space();
  void close();  ///< lets all waiting threads go on; later calls do not wait

 private:
  bool is_below(int64_t part) const;  ///< whether it is below 1 / `part` of both limits
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
