#include "graph/replay/kernel_pool.hpp"

namespace eglantine {

std::optional<Kernel> KernelPool::take(size_t number) {
  const std::scoped_lock lock(mutex_);
  std::vector<Kernel>& free = free_[number];
  if (free.empty()) return std::nullopt;
  std::optional<Kernel> kernel(std::move(free.back()));
  free.pop_back();
  return kernel;
}

void KernelPool::put(size_t number, Kernel&& kernel) {
  constexpr size_t most = 4;  // plans of a loop follow each other closely
  const std::scoped_lock lock(mutex_);
  std::vector<Kernel>& free = free_[number];
  if (free.size() < most) free.push_back(std::move(kernel));
}

}  // namespace eglantine
