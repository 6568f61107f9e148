#include "backend/retired_kernels.hpp"

#include <utility>

#include "backend/buffer.hpp"
#include "graph/kernel/parts.hpp"

namespace eglantine {
namespace {

// Kernels return in batches, so that the threads seldom share cache lines; few are held when nobody submits any more.
constexpr int batch_length = 4, most_held = 256;

/// In a loop: the destructor of a chain would recurse.
void end(std::unique_ptr<QueuedKernel> chain) {
  while (chain) chain = std::move(chain->next);
}

/// Drops the worker's handle. The last handle frees the device memory now, and the buffer with its kernel.
void let_go(BufferPtr& buffer) {
  if (buffer.use_count() == 1)
    buffer->retire();
  else
    buffer.reset();
}

}  // namespace

void RetiredKernels::clear() {
  collect();
  end(std::move(batch_));
  batch_size_ = 0;
}

void RetiredKernels::put(std::unique_ptr<QueuedKernel> kernel) {
  for_each_buffer(kernel->kernel, let_go);
  if (batch_size_ < most_held) {
    kernel->next = std::move(batch_);
    batch_ = std::move(kernel);
    ++batch_size_;
  }
  if (batch_size_ < batch_length || returned_.load(std::memory_order_relaxed) != nullptr) return;
  returned_.store(batch_.release(), std::memory_order_release);
  batch_size_ = 0;
}

void RetiredKernels::collect() {
  if (returned_.load(std::memory_order_relaxed) == nullptr) return;
  end(std::unique_ptr<QueuedKernel>(returned_.exchange(nullptr, std::memory_order_acquire)));
}

}  // namespace eglantine
