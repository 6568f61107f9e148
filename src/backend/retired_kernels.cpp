#include "backend/retired_kernels.hpp"

#include <utility>

#include "backend/buffer.hpp"
#include "graph/kernel/parts.hpp"

namespace eglantine {
namespace {

// Kernels return in batches, so that the threads seldom share cache lines; few are held when nobody submits any more.
constexpr int batch_length = 4, most_held = 256;

using Chain = std::unique_ptr<QueuedKernel>;

/// In a loop: the destructor of a chain would recurse.
void end(Chain chain) {
  while (chain) chain = std::move(chain->next);
}

void put_back(Chain chain) {
  for (; chain; chain = std::move(chain->next))
    if (chain->pool) chain->pool->put(chain->number, std::move(chain->kernel));
}

/// Drops the worker's handle. The last handle frees the device memory now, and the buffer with its kernel.
void let_go(BufferPtr& buffer, const BufferPtr& instead) {
  if (buffer.use_count() == 1)
    buffer->retire();
  else
    buffer = instead;
}

}  // namespace

void RetiredKernels::clear() {
  end(taken());
  end(std::move(batch_));
  batch_size_ = 0;
}

void RetiredKernels::put(std::unique_ptr<QueuedKernel> kernel) {
  const BufferPtr instead = kernel->pool ? kernel->pool->placeholder() : nullptr;
  for_each_buffer(kernel->kernel, [&](BufferPtr& buffer) { let_go(buffer, instead); });
  if (batch_size_ < most_held) {
    kernel->next = std::move(batch_);
    batch_ = std::move(kernel);
    ++batch_size_;
  }
  if (batch_size_ < batch_length || returned_.load(std::memory_order_relaxed) != nullptr) return;
  returned_.store(batch_.release(), std::memory_order_release);
  batch_size_ = 0;
}

std::unique_ptr<QueuedKernel> RetiredKernels::taken() {
  if (returned_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  return std::unique_ptr<QueuedKernel>(returned_.exchange(nullptr, std::memory_order_acquire));
}

void RetiredKernels::collect() { put_back(taken()); }

}  // namespace eglantine
