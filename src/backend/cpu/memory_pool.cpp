#include "backend/cpu/memory_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string>

#include "eglantine/error.hpp"
#include "layout/divide.hpp"
#include "system/large_pages.hpp"
#include "system/main_memory.hpp"

namespace eglantine::cpu {

namespace {

constexpr int64_t padding = 16, alignment = 64;
constexpr int64_t checked_bytes = int64_t{1} << 20;  // smaller blocks cannot exhaust memory, and cost less than a check
constexpr int64_t largest = std::numeric_limits<int64_t>::max() / 4;

// Eight classes for each doubling: at most an eighth of a block is wasted.
int64_t size_class(int64_t bytes) {
  const int64_t padded = round_up(bytes, alignment);
  const int64_t step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(padded))) / 8;
  return round_up(padded, std::max(step, alignment));
}

}  // namespace

MemoryPool::~MemoryPool() { trim(); }

std::unique_ptr<Storage> MemoryPool::allocate(int64_t bytes) {
  const int64_t class_bytes = bytes < largest ? size_class(bytes) : bytes;
  const auto found = free_.find(class_bytes);
  std::byte* data = nullptr;
  if (found != free_.end()) {
    data = found->second.back();
    found->second.pop_back();
    if (found->second.empty()) free_.erase(found);
    pooled_ -= class_bytes;
  } else {
    data = fresh(class_bytes, bytes);
  }
  const int64_t padded = round_up(bytes, padding);
  live_ += padded;
  peak_ = std::max(peak_, live_);
  most_live_ = std::max(most_live_, live_);
  return std::make_unique<CpuStorage>(shared_from_this(), data, class_bytes, padded);
}

std::byte* MemoryPool::fresh(int64_t class_bytes, int64_t asked) {
  const auto fits = [&] {
    const SystemMemory system = system_memory();
    return system.total == 0 || class_bytes <= system.available;
  };
  const bool large = class_bytes >= checked_bytes;
  if (large && pooled_ > 0 && !fits()) trim();
  void* data = nullptr;
  if (class_bytes < largest && (!large || fits())) {
    constexpr auto page = static_cast<int64_t>(large_page);
    const int64_t boundary = class_bytes >= 2 * page ? page : alignment;
    data = std::aligned_alloc(static_cast<size_t>(boundary), static_cast<size_t>(round_up(class_bytes, boundary)));
    if (data != nullptr) ask_for_large_pages(data, static_cast<size_t>(class_bytes));
  }
  if (data == nullptr)
    throw OutOfMemoryError("[cpu] out of memory: asked for " + std::to_string(asked) + " bytes while tensors hold " +
                           std::to_string(live_) + " bytes and " + std::to_string(system_memory().available) +
                           " bytes of main memory are free; free tensors, or work on smaller pieces");
  return static_cast<std::byte*>(data);
}

void MemoryPool::release(std::byte* data, int64_t class_bytes, int64_t bytes) {
  live_ -= bytes;
  if (pooled_ + class_bytes > size_class(most_live_)) return std::free(data);
  free_[class_bytes].push_back(data);
  pooled_ += class_bytes;
}

void MemoryPool::trim() {
  for (const auto& [class_bytes, blocks] : free_)
    for (std::byte* block : blocks) std::free(block);
  free_.clear();
  pooled_ = 0;
}

MemoryInfo MemoryPool::info() const {
  const SystemMemory system = system_memory();
  return {live_, pooled_, peak_, system.total, system.available};
}

}  // namespace eglantine::cpu
