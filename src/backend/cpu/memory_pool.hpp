#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "backend/buffer.hpp"
#include "eglantine/device.hpp"

namespace eglantine::cpu {

/// Freed blocks by size, at most as many bytes as were ever live: fresh pages cost more than most arithmetic. Not
/// thread-safe.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  MemoryPool() = default;
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// A block of at least `bytes`, aligned to 64, its size a multiple of 16. Throws OutOfMemoryError when more is
  /// requested than is available: otherwise the system would kill the process when it first touches the pages.
  std::unique_ptr<Storage> allocate(int64_t bytes);
  void trim();
  MemoryInfo info() const;
  void reset_peak() { peak_ = live_; }

 private:
  friend class CpuStorage;
  std::byte* fresh(int64_t class_bytes, int64_t asked);
  void release(std::byte* data, int64_t class_bytes, int64_t bytes);

  std::map<int64_t, std::vector<std::byte*>> free_;  ///< by size class
  int64_t live_ = 0, pooled_ = 0;
  int64_t peak_ = 0, most_live_ = 0;  ///< since reset_peak(), and since the start: what the pool keeps is by the latter
};

/// A block of main memory, which returns to its pool when destroyed and keeps the pool alive until then.
class CpuStorage : public Storage {
 public:
  CpuStorage(std::shared_ptr<MemoryPool> pool, std::byte* data, int64_t class_bytes, int64_t bytes)
      : pool_(std::move(pool)), data_(data), class_bytes_(class_bytes), bytes_(bytes) {}
  ~CpuStorage() override { pool_->release(data_, class_bytes_, bytes_); }

  std::byte* data() const { return data_; }

 private:
  std::shared_ptr<MemoryPool> pool_;
  std::byte* data_;
  int64_t class_bytes_, bytes_;
};

/// The address of a storage's, or a buffer's, memory.
inline std::byte* data_of(const Storage& storage) { return static_cast<const CpuStorage&>(storage).data(); }
inline std::byte* data_of(const Buffer& buffer) { return data_of(buffer.storage()); }

}  // namespace eglantine::cpu
