#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "backend/buffer.hpp"
#include "backend/gl/execution/hazards.hpp"
#include "backend/gl/memory/allocator.hpp"
#include "eglantine/device.hpp"

namespace eglantine::gl {

class Pool;

/// A tensor's memory: a block of the pool, which gets it back at the end. `bytes` is what was asked, padded to 16.
class GlStorage : public Storage {
 public:
  GlStorage(std::shared_ptr<Pool> pool, MemoryBlock block, int64_t bytes)
      : pool_(std::move(pool)), block_(block), bytes_(bytes) {}
  ~GlStorage() override;
  GlStorage(const GlStorage&) = delete;
  GlStorage& operator=(const GlStorage&) = delete;

  const MemoryBlock& block() const { return block_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Pool> pool_;
  MemoryBlock block_;
  int64_t bytes_;
};

/// The size a request of `bytes` gets: a multiple of an eighth of the power of two below it, at least 256. So at most
/// an eighth is wasted, and freed memory fits the next tensor of about the size.
int64_t size_class(int64_t bytes);

/// Freed memory by size class, for tensors to come. On the worker thread, but close() and what follows it.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  /// `budget`: the most that live and pooled may be together, 0 where the driver's own limit is trusted. `hazards`: of
  /// a device whose kernels run at once where none waits for another; null where one ends before the next begins.
  Pool(Context& context, std::unique_ptr<Allocator> allocator, int64_t budget, const HazardTracker* hazards = nullptr);

  /// When the driver has no memory the pool is emptied and the driver asked once more; then OutOfMemoryError.
  std::unique_ptr<GlStorage> allocate(int64_t bytes);
  void trim();
  /// The context is about to go, and the buffers with it: storage that ends later ends quietly, on any thread.
  void close() { open_ = false; }
  MemoryInfo memory() const;
  bool large_pages() const { return allocator_->large_pages(); }

 private:
  friend class GlStorage;
  void take_back(const MemoryBlock& block);
  MemoryBlock take_pooled(int64_t capacity);
  bool waits(const MemoryBlock& block) const { return hazards_ != nullptr && hazards_->write_waits(block); }
  MemoryBlock ask_driver(int64_t capacity);
  bool fits_budget(int64_t capacity) const;
  [[noreturn]] void report(int64_t bytes) const;

  Context& context_;
  std::unique_ptr<Allocator> allocator_;
  int64_t budget_;
  const HazardTracker* hazards_;
  std::map<int64_t, std::deque<MemoryBlock>> free_;  ///< in the order in which they were freed
  std::atomic<bool> open_ = true;
  int64_t live_ = 0, pooled_ = 0, peak_ = 0;
};

}  // namespace eglantine::gl
