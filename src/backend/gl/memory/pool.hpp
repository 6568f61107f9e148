#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "backend/buffer.hpp"
#include "backend/gl/memory/allocator.hpp"
#include "backend/gl/memory/hazards.hpp"
#include "eglantine/device.hpp"

namespace eglantine::gl {

class Pool;

/// A tensor's memory: a block that returns to the pool when destroyed. `bytes` is the size requested, padded to 16.
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

/// `bytes` rounded up to a multiple of an eighth of the power of two below, or of 2 MiB where that is less; >= 256.
int64_t size_class(int64_t bytes);

/// Freed memory by size class. On the worker thread; after close() storage may be destroyed on any thread.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  /// `budget`: of live and pooled bytes, 0: the driver's limit. `hazards`: null where kernels run one after another.
  Pool(Context& context, std::unique_ptr<Allocator> allocator, int64_t budget, const HazardTracker* hazards = nullptr);

  std::unique_ptr<GlStorage> allocate(int64_t bytes);  ///< retries with the pool emptied, then throws OutOfMemoryError
  void trim();
  void close() { open_ = false; }  ///< at the end of the context and its buffers: storage destroyed later frees nothing
  MemoryInfo memory() const;
  void reset_peak() { peak_ = live_; }
  bool large_pages() const { return allocator_->large_pages(); }

 private:
  friend class GlStorage;
  void take_back(const MemoryBlock& block);
  MemoryBlock take_pooled(int64_t capacity);
  bool waits(const MemoryBlock& block) const { return hazards_ != nullptr && hazards_->write_waits(block); }
  MemoryBlock ask_driver(int64_t capacity, bool best);
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
