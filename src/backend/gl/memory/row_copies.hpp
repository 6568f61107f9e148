#pragma once

#include <cstddef>
#include <optional>

#include "backend/gl/lowered.hpp"
#include "backend/gl/memory/allocator.hpp"
#include "system/thread_pool.hpp"

namespace eglantine::gl {

/// Copies rows [begin, end) of a copy, whose byte 0 of either buffer is at `from` and `to`.
void copy_rows(const lower::Copy& copy, int64_t begin, int64_t end, const std::byte* from, std::byte* to);

/// Copies rows in place, where the host has the memory of buffers: a call of the driver for each row takes 0.3 us, this
/// 2 ns.
class RowCopies {
 public:
  explicit RowCopies(Context& context) : context_(context) {}

  /// After the kernels that use either block. Throws DeviceError where the driver does not map them.
  void run(const lower::Copy& copy, const MemoryBlock& from, const MemoryBlock& to);

 private:
  void share(const lower::Copy& copy, const std::byte* from, std::byte* to);

  Context& context_;
  std::optional<ThreadPool> threads_;  ///< that start at the first large copy
};

}  // namespace eglantine::gl
