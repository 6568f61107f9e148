#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "graph/kernel.hpp"

namespace eglantine {

/// A kernel on its way through a queue.
struct QueuedKernel {
  Kernel kernel;
  int64_t bytes = 0;  ///< that it writes
  std::unique_ptr<QueuedKernel> next = nullptr;
};

/// Kernels that have run go back to the threads that submit, to end there. An allocator makes threads wait for each
/// other where one gives back what another one asked for: that took longer than all else that a small kernel costs.
class RetiredKernels {
 public:
  RetiredKernels() = default;
  ~RetiredKernels() { clear(); }
  RetiredKernels(const RetiredKernels&) = delete;
  RetiredKernels& operator=(const RetiredKernels&) = delete;
  /// The kernel has run: its buffers go now, its memory when somebody submits. On the worker.
  void put(std::unique_ptr<QueuedKernel> kernel);
  /// Ends what has come back. On any thread.
  void collect();
  /// Ends all. The worker's last words: kernels hold buffers, and those the queue.
  void clear();

 private:
  std::atomic<QueuedKernel*> returned_ = nullptr;
  // The worker's, until they are enough to be returned:
  std::unique_ptr<QueuedKernel> batch_;
  int batch_size_ = 0;
};

}  // namespace eglantine
