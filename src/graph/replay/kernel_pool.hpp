#pragma once

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "graph/kernel/kernel.hpp"

namespace eglantine {

/// The kernels of a recorded plan that have run, to be replayed again: a copy of one takes some ten allocations, more
/// time than everything else of a small kernel. Kernels have their buffers' handles, of buffers that are done with.
class KernelPool {
 public:
  /// placeholder: what handles have where their buffer lives on.
  KernelPool(size_t kernels, BufferPtr placeholder) : placeholder_(std::move(placeholder)), free_(kernels) {}

  std::optional<Kernel> take(size_t number);  ///< nothing where none has come back
  void put(size_t number, Kernel&& kernel);   ///< on any thread; beyond a few a kernel is destroyed
  const BufferPtr& placeholder() const { return placeholder_; }

 private:
  BufferPtr placeholder_;
  std::mutex mutex_;
  std::vector<std::vector<Kernel>> free_;  ///< by their numbers in the plan
};

using KernelPoolPtr = std::shared_ptr<KernelPool>;

}  // namespace eglantine
