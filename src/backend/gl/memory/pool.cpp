#include "backend/gl/memory/pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "backend/gl/context/make_target.hpp"
#include "eglantine/error.hpp"

namespace eglantine::gl {
namespace {

constexpr int64_t smallest_class = 256;
constexpr int64_t driver_page = int64_t{1} << 21;  // by which drivers map large memory
// Of a size kernels take turns with so many blocks, or with so many bytes in all, and so need not wait for one another
// to write what a kernel before them reads, such as what its groups leave each other.
constexpr int64_t bytes_in_turns = int64_t{1} << 26;
constexpr int64_t blocks_in_turns = 8;

std::string in_bytes(int64_t bytes) {
  constexpr int64_t mebibyte = 1 << 20;
  if (bytes < mebibyte) return std::to_string(bytes) + " bytes";
  return std::to_string(bytes) + " bytes (" + std::to_string(bytes / mebibyte) + " MiB)";
}

}  // namespace

int64_t size_class(int64_t bytes) {
  if (bytes <= smallest_class) return smallest_class;
  const auto step = std::min(static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)) / 8), driver_page);
  return (bytes + step - 1) / step * step;
}

GlStorage::~GlStorage() { pool_->take_back(block_); }

Pool::Pool(Context& context, std::unique_ptr<Allocator> allocator, int64_t budget, const HazardTracker* hazards)
    : context_(context), allocator_(std::move(allocator)), budget_(budget), hazards_(hazards) {}

std::unique_ptr<GlStorage> Pool::allocate(int64_t bytes) {
  constexpr int64_t largest = int64_t{1} << 50;
  if (bytes > largest) report(bytes);
  const int64_t padded = (bytes + 15) / 16 * 16;
  const int64_t capacity = size_class(padded);
  MemoryBlock block = take_pooled(capacity);
  if (block.name == 0) block = ask_driver(capacity, pooled_ >= capacity);
  if (block.name == 0) {
    trim();
    block = ask_driver(capacity, false);
  }
  if (block.name == 0) report(bytes);
  live_ += block.capacity;
  peak_ = std::max(peak_, live_);
  return std::make_unique<GlStorage>(shared_from_this(), block, padded);
}

/// Takes the block freed last, maybe still cached; or the first, if only that is writable without a wait for kernels;
/// or where both wait and the size has few blocks, another one. Of the smallest class with a free block, up to an
/// eighth larger: sizes within one eighth share their memory.
MemoryBlock Pool::take_pooled(int64_t capacity) {
  auto known = free_.lower_bound(capacity);
  while (known != free_.end() && known->second.empty()) ++known;
  if (known == free_.end() || known->first > capacity + capacity / 8) return {};
  std::deque<MemoryBlock>& blocks = known->second;
  const auto chosen = waits(blocks.back()) && !waits(blocks.front()) ? blocks.begin() : blocks.end() - 1;
  const auto more = static_cast<int64_t>(blocks.size()) + 1;
  if (more <= blocks_in_turns && more * capacity <= bytes_in_turns && waits(*chosen))
    if (const MemoryBlock another = ask_driver(capacity, true); another.name != 0) return another;
  const MemoryBlock block = *chosen;
  blocks.erase(chosen);
  pooled_ -= block.capacity;
  return block;
}

/// best: no slower memory in place of what the pool could give back.
MemoryBlock Pool::ask_driver(int64_t capacity, bool best) {
  if (!fits_budget(capacity)) return {};
  return best ? allocator_->allocate_best(capacity) : allocator_->allocate(capacity);
}

bool Pool::fits_budget(int64_t capacity) const { return budget_ == 0 || live_ + pooled_ + capacity <= budget_; }

void Pool::take_back(const MemoryBlock& block) {
  if (!open_) return;
  live_ -= block.capacity;
  pooled_ += block.capacity;
  free_[block.capacity].push_back(block);
  free_[block.capacity].back().apart = false;
}

void Pool::trim() {
  for (const auto& [capacity, blocks] : free_) {
    for (const MemoryBlock& block : blocks) allocator_->free(block);
  }
  free_.clear();
  pooled_ = 0;
}

MemoryInfo Pool::memory() const {
  const DriverMemory driver = driver_memory(context_);
  return {.live = live_, .pooled = pooled_, .peak = peak_, .driver_total = driver.total, .driver_free = driver.free};
}

void Pool::report(int64_t bytes) const {
  const MemoryInfo now = memory();
  std::string text = "[allocate] no device memory for " + in_bytes(bytes) + ": tensors hold " + in_bytes(now.live) +
                     ", the pool " + in_bytes(now.pooled);
  text += now.driver_total > 0 || now.driver_free > 0 ? ", and the driver has " + in_bytes(now.driver_free) + " free"
                                                      : "; the driver does not say what is free";
  if (budget_ > 0) text += "; all that this device may take is " + in_bytes(budget_);
  throw OutOfMemoryError(text);
}

}  // namespace eglantine::gl
