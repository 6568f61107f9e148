#include "backend/spent_kernels.hpp"

#include <utility>

#include "backend/buffer.hpp"
#include "graph/kernel_parts.hpp"

namespace eglantine {
namespace {

// Kernels cross over in bunches, so that the threads seldom touch the same memory; and when nobody submits any more,
// only few wait for it.
constexpr int bunch = 4, most_kept = 256;

/// One after another: a chain that ends by itself ends recursively.
void end(std::unique_ptr<QueuedKernel> chain) {
  while (chain) chain = std::move(chain->next);
}

/// The worker's handle. Where it is the last one, the buffer's device memory goes, and the rest stays in the kernel.
void let_go(BufferPtr& buffer) {
  if (buffer.use_count() == 1)
    buffer->retire();
  else
    buffer.reset();
}

}  // namespace

void SpentKernels::clear() {
  collect();
  end(std::move(kept_));
  kept_count_ = 0;
}

void SpentKernels::put(std::unique_ptr<QueuedKernel> kernel) {
  for_each_buffer(kernel->kernel, let_go);
  if (kept_count_ < most_kept) {
    kernel->next = std::move(kept_);
    kept_ = std::move(kernel);
    ++kept_count_;
  }
  if (kept_count_ < bunch || returned_.load(std::memory_order_relaxed) != nullptr) return;
  returned_.store(kept_.release(), std::memory_order_release);
  kept_count_ = 0;
}

void SpentKernels::collect() {
  if (returned_.load(std::memory_order_relaxed) == nullptr) return;
  end(std::unique_ptr<QueuedKernel>(returned_.exchange(nullptr, std::memory_order_acquire)));
}

}  // namespace eglantine
