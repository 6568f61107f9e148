#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "graph/replay/kernel_pool.hpp"
#include "system/recycled.hpp"

namespace eglantine {

/// A kernel on its way through a queue.
struct QueuedKernel {
  Kernel kernel;
  int64_t bytes = 0;             ///< that it writes
  KernelPoolPtr pool = nullptr;  ///< where it returns; null where it is made once
  size_t number = 0;             ///< there
  std::unique_ptr<QueuedKernel> next = nullptr;

  static void* operator new(size_t) { return RecycledBlocks<sizeof(QueuedKernel)>::take(); }
  static void operator delete(void* block) noexcept { RecycledBlocks<sizeof(QueuedKernel)>::put(block); }
};

/// Returns kernels that have run to the submitting threads, which put them back into their pools, or destroy them:
/// freeing memory on another thread than it was allocated on makes allocators lock, which took longer than everything
/// else of a small kernel.
class RetiredKernels {
 public:
  RetiredKernels() = default;
  ~RetiredKernels() { clear(); }
  RetiredKernels(const RetiredKernels&) = delete;
  RetiredKernels& operator=(const RetiredKernels&) = delete;
  /// Takes a kernel that has run: frees its device memory now, its own memory on the next submission. On the worker.
  void put(std::unique_ptr<QueuedKernel> kernel);
  void collect();  ///< puts the returned kernels back, or destroys them; on any thread
  void clear();    ///< destroys all, at the end of the worker: kernels hold buffers, and buffers the queue

 private:
  std::unique_ptr<QueuedKernel> taken();  ///< what was returned

  std::atomic<QueuedKernel*> returned_ = nullptr;
  // The worker's, until the batch is full:
  std::unique_ptr<QueuedKernel> batch_;
  int batch_size_ = 0;
};

}  // namespace eglantine
